/** A turn of ours with a model behind an endpoint, over real sessions. */
import { expect, it } from 'vitest';
import { endpointModel } from '../../src/chatEndpoint.ts';
import { OWNER, ok, toolsOf, turn } from '../unit/session/turnKit.ts';
import { openTestTools } from '../unit/support/folder.ts';
import { delta, events, serve, stream } from './endpointServer.ts';

it('waits for a busy server, runs what the model calls, and adds up what it used', async () => {
  const call = { index: 0, id: 'call_0', function: { name: 'read', arguments: '{"file":"a.ts"}' } };
  const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 1 } };
  const answers = [
    events(delta({ content: 'Look.' }), delta({ tool_calls: [call] }), delta({}, 'tool_calls'), usage),
    events(delta({ tool_calls: [call] }), delta({}, 'tool_calls'), usage),
    events(delta({ content: 'Found.' }), delta({}, 'stop'), usage),
  ];
  let isBusy = true;
  const { url, asked } = await serve((response) => {
    if (isBusy) response.writeHead(429, { 'retry-after': '0' }).end();
    else stream(response, answers.shift() ?? '');
    isBusy = false;
  });
  const { sessions } = openTestTools();
  const { result } = await turn(endpointModel({ url, model: 'test-1', key: undefined }), {
    sessions,
    owner: OWNER,
    tools: toolsOf({ read: (input) => ok(`contents of ${JSON.stringify(input)}`) }),
  });
  expect(result).toMatchObject({ reason: 'completed', text: 'Found.', steps: 3 });
  expect(result.usage).toMatchObject({ input_tokens: 30, output_tokens: 3 });
  expect(asked).toHaveLength(4);
  const roles = asked[3]?.body.messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
  expect(asked[3]?.body.messages[3]?.content).toBe('contents of {"file":"a.ts"}');
});
