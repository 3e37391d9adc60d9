import { html, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { clip, visibleLine } from '../kit/text.ts';
import type { EditRow } from './rows.ts';
import { type Edit, editId } from './state.ts';

export interface Commit {
  readonly text: string;
  /** By a key: the focus stays here. */
  readonly key: boolean;
}

export interface EditHandlers {
  draft(text: string): void;
  commit(commit: Commit): void;
  cancel(): void;
}

/** What is being written, in its place in the tree. */
export function editLine({ edit, open }: EditRow, handlers: EditHandlers): TemplateResult {
  const { label, placeholder } = words(edit);
  return html`<div class="row edit ${edit.kind}-edit" data-key="edit">
    ${edit.kind === 'note' ? '' : html`<span class="sign muted">${sign(edit, open)}</span>`}
    ${keyed(
      editId(edit),
      html`<lode-inline class="grow" .text=${edit.text} .label=${label} .placeholder=${placeholder}
        .multiline=${edit.kind === 'note'} .again=${edit.kind === 'add'}
        @lode-draft=${({ detail }: CustomEvent<string>) => handlers.draft(detail)}
        @lode-commit=${({ detail }: CustomEvent<Commit>) => handlers.commit(detail)}
        @lode-cancel=${() => handlers.cancel()}></lode-inline>`,
    )}</div>`;
}

function sign({ kind }: Edit, open: boolean): TemplateResult {
  if (kind === 'rename-phase') return open ? icons.open : icons.closed;
  return icons[kind === 'phase' ? 'closed' : 'pending'];
}

function words(edit: Edit): { label: string; placeholder: string } {
  switch (edit.kind) {
    case 'add':
      return { label: t('New task in “{0}”', name(edit.phase)), placeholder: t('New task') };
    case 'phase':
      return { label: t('Name of the new phase'), placeholder: t('Name of the new phase') };
    case 'rename':
      return { label: t('Rename “{0}”', name(edit.task)), placeholder: '' };
    case 'rename-phase':
      return { label: t('Rename “{0}”', name(edit.phase)), placeholder: '' };
    case 'note':
      return {
        label: t('Note on “{0}”', name(edit.task)),
        placeholder: t('Note; {0} adds it', navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter'),
      };
  }
}

function name(text: string): string {
  return visibleLine(clip(text, 80));
}
