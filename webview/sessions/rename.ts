import { html, type TemplateResult } from 'lit';
import type { SessionLine } from '../../src/sessionProtocol.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { sessionName } from './describe.ts';

const LONGEST = 200;

/** Asks for another name; an empty one gives the session back the name that it has by itself. */
export function renameQuestion(
  session: SessionLine,
  no: () => void,
  yes: (title: string) => void,
): TemplateResult {
  const take = (event: Event) => {
    const root = (event.currentTarget as HTMLElement).closest('.rename');
    yes(root?.querySelector<HTMLInputElement>('vscode-text-field')?.value.trim() ?? '');
  };
  const key = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') no();
    else if (event.key === 'Enter' && (event.target as HTMLElement).matches('vscode-text-field')) take(event);
    else return;
    handled(event);
  };
  return html`<div class="banner rename" role="dialog" aria-label=${t('Rename')} @keydown=${key}>
    <vscode-text-field maxlength=${LONGEST} .value=${session.title} placeholder=${sessionName(session)}>${t('Name of the session')}</vscode-text-field>
    <div class="buttons"><vscode-button @click=${take}>${t('Rename')}</vscode-button><vscode-button appearance="secondary" @click=${no}>${t('Cancel')}</vscode-button></div></div>`;
}
