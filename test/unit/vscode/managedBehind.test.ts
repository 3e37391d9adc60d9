import { expect, test, vi } from 'vitest';
import { ModelError } from '../../../src/session/chatModel.ts';
import { chatModelNamed, chosenModel } from '../../../src/vscode/chatModel.ts';

const ALL = [
  { vendor: 'lodeline', id: 'acme/m', name: 'M · Lodeline', family: 'm' },
  { vendor: 'acme', id: 'm', name: 'M', family: 'm' },
  { vendor: 'router', id: 'acme/x', name: 'Routed', family: 'x' },
];

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  lm: {
    selectChatModels: async (wanted: Record<string, string> = {}) =>
      ALL.filter((model) =>
        Object.entries(wanted).every(([key, value]) => Reflect.get(model, key) === value),
      ),
  },
}));

test('a chat on a managed model lends our loops the one behind it', async () => {
  expect((await chosenModel({ model: { id: 'acme/m' } }))?.name).toBe('M');
  expect((await chosenModel({ model: 'm' }))?.name).toBe('M');
});

test('a model of somebody else whose id looks like that is lent itself', async () => {
  expect((await chosenModel({ model: { id: 'acme/x' } }))?.name).toBe('Routed');
  expect(await chosenModel({ model: { id: 'acme/gone' } })).toBeUndefined();
});

test('our loops take no managed model by themselves, nor by a family that both have', async () => {
  expect((await chatModelNamed(undefined)).name).toBe('M');
  expect((await chatModelNamed('m')).name).toBe('M');
});

test('a name that no model has is told with those there are, wherever it was given', async () => {
  const error = await chatModelNamed('gone').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  const { message } = error as ModelError;
  expect(message).toMatch(/“gone”.*It has: m, x\..*in the call, or in the setting/);
});
