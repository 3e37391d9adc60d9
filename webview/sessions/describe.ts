import type { TemplateResult } from 'lit';
import type { SessionLine, SessionLineKind } from '../../src/sessionProtocol.ts';
import { compact } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { clip, visibleLine } from '../kit/text.ts';

const NAME = 200;

/** How a session stands: a run that broke off is what a person looks for. */
export type Standing = SessionLine['state'] | 'broken';

export function standingOf({ state, aborted }: Pick<SessionLine, 'state' | 'aborted'>): Standing {
  return aborted && state !== 'running' ? 'broken' : state;
}

export function standingName(standing: Standing): string {
  const names: Record<Standing, string> = {
    running: t('running'),
    idle: t('idle'),
    ended: t('ended'),
    broken: t('broken off'),
  };
  return names[standing];
}

export function standingIcon(standing: Standing): TemplateResult {
  const signs = {
    running: icons.running,
    idle: icons.pending,
    ended: icons.completed,
    broken: icons.interrupted,
  };
  return signs[standing];
}

export function kindName(kind: SessionLineKind): string {
  const names: Record<SessionLineKind, string> = {
    chat: t('chat'),
    copilot: t('Copilot chat'),
    mcp: t('MCP'),
    subagent: t('subagent'),
    spawned: t('spawned'),
    cron: t('scheduled'),
    hook: t('hook'),
    agent: t('agent'),
  };
  return names[kind];
}

/** What a session is called, on one line; two without a name are told apart by what else is known. */
export function sessionName({
  title,
  label,
  source,
  kind,
}: Pick<SessionLine, 'title' | 'label' | 'source' | 'kind'>): string {
  const name = [title, label, kind === 'agent' ? source : ''].find((each) => each.trim() !== '');
  return visibleLine(clip(name ?? t('Untitled, {0}', source), NAME)).trim();
}

/** A label that says more than the name does; else empty. */
export function labelOf(line: SessionLine): string {
  const label = visibleLine(clip(line.label, NAME)).trim();
  return label === sessionName(line) ? '' : label;
}

/** How much of the model's window is in use; empty when nobody knows. */
export function tokensText({ tokens, window }: Pick<SessionLine, 'tokens' | 'window'>): string {
  if (tokens === null || tokens === 0) return '';
  return window === null
    ? t('{0} tokens', compact(tokens))
    : t('{0} of {1} tokens', compact(tokens), compact(window));
}

/** What stands below the name in the tree. The ordinary level is not worth a word there. */
export function factsOf(line: SessionLine): readonly string[] {
  const { kind, level, archived, maySend, peer = '' } = line;
  return [
    kindName(kind),
    peer === '' ? '' : t('through {0}', peer),
    labelOf(line),
    tokensText(line),
    level === 'PUBLIC' ? '' : level,
    maySend || peer !== '' ? '' : t('no messages'),
    archived ? t('archived') : '',
  ].filter((each) => each !== '');
}
