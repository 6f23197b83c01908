import { expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import type { Call } from '#middleware/call.ts';
import { type RequestLine, requestLog } from '#middleware/request-log.ts';

test('the line of a request has the address that it came from, and nothing else of the event', () => {
  const lines: RequestLine[] = [];
  const log = {
    now: () => 0,
    newRequestId: () => 'req_1',
    addressOf: () => '203.0.113.7',
    write: (line: RequestLine) => void lines.push(line),
  };
  const context: { call?: Call } = {};
  const event = {
    headers: { authorization: 'Bearer secret', 'user-agent': 'agent' },
    body: 'prompt',
    path: '/v1/models',
  };
  requestLog(routes.listModels, () => log).before!({ event, context } as never);
  context.call!.response.close();
  expect(lines).toMatchObject([{ requestId: 'req_1', route: routes.listModels.id, callerAddress: '203.0.113.7' }]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|agent|prompt/);
});
