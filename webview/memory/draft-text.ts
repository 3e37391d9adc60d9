import type { Draft } from '../../src/memoryProtocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';

/** Who it comes from, and by which tool where it was captured. */
export function sourceOf({ source, tool, session }: Draft): string {
  return [source || session, tool]
    .filter((part) => part !== '')
    .map(visibleLine)
    .join(' · ');
}

/** That drafts were accepted. */
export function accepted(size: number): string {
  return size === 1 ? t('Accepted 1 draft.') : t('Accepted {0} drafts.', count(size));
}

/** That drafts were rejected. */
export function rejected(size: number): string {
  return size === 1 ? t('Rejected 1 draft.') : t('Rejected {0} drafts.', count(size));
}
