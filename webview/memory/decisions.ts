import type { ConflictSide } from '../../src/memoryProtocol.ts';
import { t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';
import type { Invoke, MemoryActions } from './actions.ts';
import type { Merge } from './merge-form.ts';

type Sides = readonly ConflictSide[];

/** Lets one side stand, and the others become history. */
export function keepOne(actions: MemoryActions, sides: Sides, at: number): Promise<boolean> {
  const kept = sides[at];
  return actions.change(async (invoke, touched) => {
    if (kept === undefined) return '';
    touched(sides.map(({ id }) => id));
    if (isOneEntry(sides)) await invoke('memory_edit', { key: kept.id, content: kept.text });
    else await giveWay(invoke, sides, kept);
    return t('Kept “{0}”.', visibleLine(kept.key));
  });
}

/** Lets all stand: texts of one entry become one text, entries are linked, which says that both are meant. */
export function keepAll(actions: MemoryActions, sides: Sides): Promise<boolean> {
  const [first, ...others] = sides;
  return actions.change(async (invoke, touched) => {
    if (first === undefined) return '';
    touched([first.id]);
    if (isOneEntry(sides)) {
      const content = [...new Set(sides.map(({ text }) => text.trim()))].join('\n\n');
      await invoke('memory_edit', { key: first.id, content });
      return t('Both texts are in “{0}” now.', visibleLine(first.key));
    }
    await invoke('memory_edit', { key: first.id, add_links: others.map(({ key }) => key) });
    return t('Both stay, linked with each other.');
  });
}

/** Makes one of several, with the text that the person wrote. */
export function mergeAll(actions: MemoryActions, sides: Sides, { into, content }: Merge): Promise<boolean> {
  const kept = sides[into];
  return actions.change(async (invoke, touched) => {
    if (kept === undefined) return '';
    touched(sides.map(({ id }) => id));
    const others = sides.filter(({ id }) => id !== kept.id);
    const keys = new Set(sides.map(({ key }) => key));
    const added = (of: (side: ConflictSide) => readonly string[]) => [...new Set(others.flatMap(of))];
    const among = kept.links.filter((link) => keys.has(link));
    // Only what comes to it is said: what it got since this was read stays.
    await invoke('memory_edit', {
      key: kept.id,
      content,
      ...(others.length === 0
        ? {}
        : {
            add_tags: added(({ tags }) => tags),
            add_links: added(({ links }) => links).filter((link) => !keys.has(link)),
            ...(among.length > 0 ? { drop_links: among } : {}),
          }),
    });
    await giveWay(invoke, sides, kept);
    return t('Merged into “{0}”.', visibleLine(kept.key));
  });
}

/** The text stands first, then the others give way: whatever stops it in between, nothing is lost. */
async function giveWay(invoke: Invoke, sides: Sides, kept: ConflictSide): Promise<void> {
  for (const { id } of sides)
    if (id !== kept.id) await invoke('memory_forget', { key: id, action: 'supersede', new_key: kept.id });
}

function isOneEntry(sides: Sides): boolean {
  return new Set(sides.map(({ id }) => id)).size === 1;
}

/** Whether the sides may become one: what is above another's level must not get into it. */
export function canMerge(sides: readonly Pick<ConflictSide, 'level'>[]): boolean {
  return new Set(sides.map(({ level }) => level)).size === 1;
}
