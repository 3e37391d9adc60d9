import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/memory/entry.ts';
import { documentOf, takenFromDocument } from '../../../src/memory/hindsight/documents.ts';

type Told = Parameters<typeof documentOf>[0];

const ENTRY: Told = {
  ...{ id: 'a1b2c3d4', created: 1_783_846_800_000, key: 'use-zod', category: 'decision' },
  ...{ content: 'Validate with Zod.', tags: ['types', 'api'], revisions: [] },
};
/** The document as the server gives it back. */
const kept = (entry: Told) => {
  const { documentId, content, context } = documentOf(entry);
  return { id: documentId, text: content, context };
};

describe('an entry as a document of a server', () => {
  it('has an id that stays while its text changes', () => {
    const changed = { ...ENTRY, content: 'Validate with Valibot.', tags: [] };
    expect(documentOf(changed).documentId).toBe(documentOf(ENTRY).documentId);
  });

  it('does not take the place of what somebody else wrote under the same key', () => {
    const theirs = documentOf({ ...ENTRY, created: ENTRY.created + 1 });
    expect(theirs.documentId).not.toBe(documentOf(ENTRY).documentId);
  });

  it('tells what was added to it, oldest first, and not what was replaced', () => {
    const revision = { at: 1, actor: 'agent', source: 'copilot' } as const;
    const revisions = [
      { ...revision, text: 'Third.', addition: true },
      { ...revision, text: 'Second.', addition: true },
      { ...revision, text: 'Never mind.', addition: false },
    ];
    expect(documentOf({ ...ENTRY, revisions }).content).toBe(
      'use-zod\n\nValidate with Zod.\n\nSecond.\n\nThird.',
    );
  });

  it('comes back as it was, whatever it says', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    const key = line.map((text) => text.replace(/\p{Cc}/gu, '-').trim()).filter((text) => text !== '');
    const tag = fc.stringMatching(/^[a-z0-9가-힣-]{1,12}$/u);
    const content = line.filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(
        key,
        content,
        fc.uniqueArray(tag, { maxLength: 4 }),
        fc.constantFrom(...CATEGORIES),
        (name, text, tags, category) => {
          fc.pre(!name.startsWith('[role: '));
          const entry = { ...ENTRY, key: name, content: text, tags, category };
          expect(takenFromDocument(kept(entry))).toMatchObject({ key: name, content: text, tags, category });
        },
      ),
    );
  });
});

describe('a document as an entry', () => {
  it('is named by its start where another program wrote it', () => {
    const text = 'We deploy\non Fridays only.\n\nNever on Mondays.';
    const taken = takenFromDocument({ id: 'doc-1', text, context: 'chat', at: 5 });
    expect(taken).toEqual({
      key: 'We deploy on Fridays only. Never on Mondays.',
      ...{ category: 'knowledge', content: text, at: 5 },
    });
  });

  it('is as long as a key may be at most', () => {
    const taken = takenFromDocument({ id: 'doc-1', text: '가'.repeat(5_000), context: '' });
    expect([...(taken?.key ?? '')]).toHaveLength(60);
    expect(taken?.content).toHaveLength(5_000);
  });

  it('does not take what looks like ours for more than a text', () => {
    const { id } = kept(ENTRY);
    for (const text of ['no second part', '\n\nno first part'])
      expect(takenFromDocument({ id, text, context: 'Lodeline nonsense; tags: ' })?.content).toBe(text);
    const unknown = takenFromDocument({ id, text: 'a\n\nb', context: 'Lodeline nonsense; tags: ' });
    expect(unknown).toMatchObject({ key: 'a', content: 'b', category: 'knowledge', tags: [] });
  });

  it('is none where it says nothing or is a conversation', () => {
    for (const text of ['', ' \n ', '[role: user]\nHello\n[user:end]'])
      expect(takenFromDocument({ id: 's-1', text, context: '' })).toBeUndefined();
  });
});
