/** How managed models are named to the editor. */
import type { LanguageModelChat } from 'vscode';

/** As package.json contributes it. */
export const MANAGED_VENDOR = 'lodeline';

/** The id of a managed model, which names the one behind it. It is also what the setting holds. */
export function managedId({ vendor, id }: Pick<LanguageModelChat, 'vendor' | 'id'>): string {
  return `${vendor}/${id}`;
}

/** The model behind a managed one, or undefined for what names none, or one of ours again. */
export function behind(managed: string): { readonly vendor: string; readonly id: string } | undefined {
  const slash = managed.indexOf('/');
  const [vendor, id] = [managed.slice(0, slash), managed.slice(slash + 1)];
  if (slash < 1 || id === '' || vendor === MANAGED_VENDOR) return undefined;
  return { vendor, id };
}

/** The editor itself, Copilot Chat, and we. */
const CHATS: ReadonlySet<string> = new Set(['core', 'github.copilot-chat', 'lodeline.lodeline']);

/**
 * Whether a request is of a chat. The editor asks the person before another extension uses Copilot's models, but not
 * before it uses ours, behind which they are: so no other one may.
 * @param options of the request; editors of today say in them who asks, though the stable types do not have it
 */
export function isOfChat(options: object): boolean {
  const initiator: unknown = Reflect.get(options, 'requestInitiator');
  return initiator === undefined || (typeof initiator === 'string' && CHATS.has(initiator.toLowerCase()));
}
