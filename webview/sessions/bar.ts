import { html, nothing, type TemplateResult } from 'lit';
import { icons } from '../kit/icons.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';

interface Bar {
  readonly query: string;
  /** Whether archived sessions are listed too; undefined: there are none. */
  readonly archived: boolean | undefined;
  readonly canWrite: boolean;
}

interface BarCommands {
  find(query: string): void;
  /** From the field down to what was found. */
  leave(): void;
  showArchived(shown: boolean): void;
  spawn(): void;
}

/** What stands above the tree: the field that finds, and buttons for the archived ones and a new session. */
export function searchBar({ query, archived, canWrite }: Bar, commands: BarCommands): TemplateResult {
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && query !== '') commands.find('');
    else if (event.key === 'ArrowDown') commands.leave();
    else return;
    handled(event);
  };
  const archive = archived ? t('Hide archived sessions') : t('Show archived sessions');
  const button = (kind: string, name: string, icon: TemplateResult, run: () => void, pressed?: boolean) =>
    html`<button class="icon-button ${kind}" aria-pressed=${pressed ?? nothing} aria-label=${name} title=${name} @click=${run}>${icon}</button>`;
  return html`<div class="bar" role="toolbar" aria-label=${t('Sessions')}>
    <vscode-text-field .value=${query} placeholder=${t('Find')} @keydown=${key}
      @input=${(event: Event) => commands.find((event.target as HTMLInputElement).value)}><span slot="start">${icons.search}</span><span class="visually-hidden">${t('Find sessions and what was said')}</span></vscode-text-field>
    ${archived === undefined ? nothing : button('archive', archive, icons.archive, () => commands.showArchived(!archived), archived)}
    ${canWrite ? button('new', t('New session'), icons.add, () => commands.spawn()) : nothing}</div>`;
}
