import * as vscode from 'vscode';
import type { Damage } from '../worker/api.ts';

const DAMAGE_SHOWN = 5;

/** Damage as the person reads it: the first places, and how many more there are. */
export function damageNotices(damage: readonly Damage[], of: 'memory' | 'sessions'): string[] {
  const shown = damage
    .slice(0, DAMAGE_SHOWN)
    .map(({ file, offset, length, reason }) =>
      of === 'memory'
        ? vscode.l10n.t(
            'A part of memory could not be read and was set aside: {0}, {1} bytes at {2} ({3}).',
            file,
            length,
            offset,
            reason,
          )
        : vscode.l10n.t(
            'A part of a session could not be read and was set aside: {0}, {1} bytes at {2} ({3}).',
            file,
            length,
            offset,
            reason,
          ),
    );
  const more = damage.length - shown.length;
  return more === 0 ? shown : [...shown, vscode.l10n.t('{0} more damaged places are in the log.', more)];
}
