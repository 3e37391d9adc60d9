import { expect, it } from 'vitest';
import { versionsIn } from '../../../src/memory/versions.ts';

const versions = (content: string) => Object.fromEntries(versionsIn({ key: 'k', content }));

it.each([
  ['Use React 18 with the legacy root', { react: '18' }],
  ['node v20.11 and zod@4.1', { node: '20.11', zod: '4.1' }],
  ['React 버전 19', { react: '19' }],
])('finds what is a version in %j', (content, found) => {
  expect(versions(content)).toMatchObject(found);
});

it.each([
  'widget 구성은 모듈 3',
  '스프린트 18 마감',
  'handled in module 4',
  'the sprint 19 deadline',
  'task 12 waits for stage 2',
  'listens on port 8080',
  '포트 8080',
])('takes no number of something else for a version: %j', (content) => {
  expect(versions(content)).toEqual({});
});
