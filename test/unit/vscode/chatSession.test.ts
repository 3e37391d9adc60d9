import { expect, test } from 'vitest';
import { chatSessionOf, workingDirectoryOf } from '../../../src/vscode/chatSession.ts';

const ID = '0f9a1c2e-7b44-4f0e-9a57-2d1f6b7c8e90';
const encoded = Buffer.from(ID).toString('base64');

test('the session id is the base64 of the last segment of the URI', () => {
  const path = `/local/${encoded}`;
  expect(chatSessionOf({ chatSessionResource: { scheme: 'vscode-chat-session', path } })).toBe(ID);
  expect(chatSessionOf({ chatSessionResource: `vscode-chat-session:${path}` })).toBe(ID);
  expect(
    chatSessionOf({ chatSessionResource: `vscode-chat-session:/local/${encodeURIComponent(encoded)}` }),
  ).toBe(ID);
});

test('a session that carries its id plainly', () => {
  expect(chatSessionOf({ chatSessionResource: { path: `/${ID}` } })).toBe(ID);
});

test.each([
  {},
  { chatSessionResource: undefined },
  { chatSessionResource: null },
  { chatSessionResource: 7 },
  { chatSessionResource: {} },
  { chatSessionResource: { path: '' } },
  { chatSessionResource: { path: '/a/..' } },
  { chatSessionResource: { path: '/%E0%A4%A' } },
  { chatSessionResource: { path: `/${Buffer.from('../../etc').toString('base64')}==!` } },
  { chatSessionResource: { path: `/${'x'.repeat(500)}` } },
])('no id in %j', (options) => {
  expect(chatSessionOf(options)).toBeUndefined();
});

test('the working directory may be a URI or a path', () => {
  expect(workingDirectoryOf({ workingDirectory: { fsPath: '/a' } })).toBe('/a');
  expect(workingDirectoryOf({ workingDirectory: '/a' })).toBe('/a');
  expect(workingDirectoryOf({ workingDirectory: {} })).toBeUndefined();
  expect(workingDirectoryOf({})).toBeUndefined();
});
