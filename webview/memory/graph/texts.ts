import type { MemoryMap } from '../../../src/protocol.ts';
import { count } from '../../kit/format.ts';
import { t } from '../../kit/l10n.ts';
import { visibleLine } from '../../kit/text.ts';
import { categoryName } from '../labels.ts';
import type { GraphModel } from './model.ts';

/** Neighbours that are named to whoever listens; the list below the picture has them all. */
const NAMED = 8;

/** How much is shown, on one line. */
export function sizeText({ nodes, links, totalLinks }: MemoryMap): string {
  const shown = links.length / 2;
  const entries = nodes.length === 1 ? t('1 entry') : t('{0} entries', count(nodes.length));
  if (shown < totalLinks)
    return `${entries} · ${t('{0} of {1} links drawn', count(shown), count(totalLinks))}`;
  return `${entries} · ${linkCount(shown)}`;
}

function linkCount(links: number): string {
  return links === 1 ? t('1 link') : t('{0} links', count(links));
}

/** A node and what it is linked with, for screen readers. */
export function nodeText({ map, beside }: GraphModel, node: number): string {
  const entry = map.nodes[node];
  if (entry === undefined) return '';
  const neighbours = beside[node] ?? [];
  const names = neighbours.slice(0, NAMED).flatMap((at) => visibleLine(map.nodes[at]?.key ?? ''));
  const more = neighbours.length - names.length;
  const linked =
    neighbours.length === 0
      ? t('no links')
      : t(
          'linked with {0}',
          more === 0 ? names.join(', ') : t('{0} and {1} more', names.join(', '), count(more)),
        );
  return [visibleLine(entry.key), categoryName(entry.category), linked].join(', ');
}
