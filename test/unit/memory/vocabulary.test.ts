import { describe, expect, it } from 'vitest';
import { inferTags } from '../../../src/memory/vocabulary.ts';

const SEED_TAGS =
  'redis auth api db security test deploy config performance refactor error logging types async state ui storage email payment webhook'.split(
    ' ',
  );

describe('tag inference', () => {
  it('knows the twenty tags of the seed by their own names', () => {
    for (const tag of SEED_TAGS) expect(inferTags(`Something about ${tag} here`)).toContain(tag);
  });

  it.each([
    ['레디스를 캐시로 쓴다', ['redis', 'cache']],
    ['결제 웹훅은 두 번 올 수 있다', ['payment', 'webhook']],
    ['데이터베이스마이그레이션은 배포 전에', ['db', 'deploy']],
  ])('understands Korean words with their particles: %s', (text, tags) => {
    for (const tag of tags) expect(inferTags(text)).toContain(tag);
  });

  it('finds decomposed Hangul like composed', () => {
    expect(inferTags('레디스를 쓴다'.normalize('NFD'))).toEqual(inferTags('레디스를 쓴다'));
  });

  it('does not tag by parts of other words', () => {
    expect(inferTags('The latest author capitalised on the rest of the building')).toEqual([]);
  });

  it('takes the project vocabulary besides its own', () => {
    expect(inferTags('We use zod and @acme/queue here', { queue: ['@acme/queue'] })).toEqual([
      'types',
      'queue',
    ]);
  });
});
