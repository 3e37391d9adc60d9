import { DEFAULT_REQUEST_TIMEOUT_MSEC } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { expect, it } from 'vitest';
import { DEFAULT_WAIT_SECONDS } from '../../../src/messaging/send.ts';
import { DEFAULT_WAIT } from '../../../src/tools/subagent/job.ts';

it.each([
  ['job', DEFAULT_WAIT],
  ['sessions_send', DEFAULT_WAIT_SECONDS],
])('%s waits, where nobody says how long, for less than a client does', (_, seconds) => {
  // With some seconds in which the answer arrives.
  expect(seconds * 1000).toBeLessThanOrEqual(DEFAULT_REQUEST_TIMEOUT_MSEC - 10_000);
});
