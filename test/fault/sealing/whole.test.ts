/** A store is sealed and opened as a whole: nothing stays in the clear, and everything comes back. */
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { contents, filesWith, fill, MARKS, openAll } from './kit.ts';
import { workNames, worksOf } from './works.ts';

it('leaves nothing of any text in the clear, reads as before, and gives everything back', async () => {
  const folder = temporaryFolder();
  const opened = openAll(folder);
  await fill(folder, opened);
  const before = await contents(opened);
  const works = await worksOf(folder);
  const names = workNames(folder);
  const found = filesWith(folder);
  const isThere = (text: string) => found.some((line) => line.endsWith(text));
  expect(MARKS.filter((text) => !isThere(text))).toEqual([
    MARKS.find((text) => text.includes('secret-level')),
  ]);

  expect(await opened.sealing.seal()).toMatchObject({ state: 'sealed', already: false, others: 0 });
  expect(filesWith(folder)).toEqual([]);
  expect(await contents(opened)).toEqual(before);
  expect(await worksOf(folder)).toEqual(works);
  expect(workNames(folder)).toEqual(names);
  await opened.close();
  expect(filesWith(folder)).toEqual([]);

  const again = openAll(folder);
  expect(await contents(again)).toMatchObject({
    entries: before.entries,
    retained: before.retained,
    verdict: true,
  });
  expect(await again.sealing.seal()).toMatchObject({ already: true });
  expect(await again.sealing.unseal()).toMatchObject({ state: 'plain', already: false, others: 0 });
  expect((await contents(again)).entries).toEqual(before.entries);
  await again.close();

  const last = openAll(folder);
  const after = await contents(last);
  expect(after.entries).toEqual(before.entries);
  const shown = ({ session: { live: _, ...session }, ...rest }: (typeof after.sessions)[number]) => ({
    ...rest,
    session,
  });
  expect(after.sessions.map(shown)).toEqual(before.sessions.map(shown));
  expect(after.captured).toEqual(before.captured);
  expect(after.copies).toEqual(before.copies);
  expect(after.retained).toEqual(before.retained);
  expect(after.verdict).toBe(true);
  expect(await worksOf(folder)).toEqual(works);
  expect(workNames(folder)).toEqual(names);
  const open = filesWith(folder);
  const stays = ['secret-level', 'presence'];
  expect(
    MARKS.filter(
      (text) => !open.some((line) => line.endsWith(text)) && !stays.some((each) => text.includes(each)),
    ),
  ).toEqual([]);
});
