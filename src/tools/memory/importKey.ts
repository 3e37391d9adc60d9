/** Sealed files of toon-memory and the key that the person gives. */
import { oneLine } from '../../memory/line.ts';
import { isSealed, isToonKey, openSealed } from '../../memory/toonSeal.ts';
import { phrase } from '../../worker/api.ts';
import { ToolError } from '../tool.ts';

/** The text of a file that may be sealed. @throws ToolError which names what is wrong with the key */
export function openToon(place: string, text: string, secret: string | undefined): string {
  if (!isSealed(text)) return text;
  const opened = openSealed(text, requireKey(place, secret));
  if (opened !== undefined) return opened;
  throw new ToolError(
    phrase('Wrong key: "{0}" does not open with it, or it is damaged. Nothing was changed.', oneLine(place)),
  );
}

/** The key of a sealed file. @throws ToolError when there is none */
export function requireKey(place: string, secret: string | undefined): string {
  if (secret === undefined || secret === '')
    throw new ToolError(
      phrase(
        'Missing key: "{0}" is sealed. Give its key in TOON_MEMORY_KEY. Nothing was changed.',
        oneLine(place),
      ),
    );
  if (!isToonKey(secret))
    throw new ToolError(
      phrase('Wrong key: a key has 64 hex characters (TOON_MEMORY_KEY). Nothing was changed.'),
    );
  return secret;
}
