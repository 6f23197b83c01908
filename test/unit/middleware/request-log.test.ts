import { expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import type { Call } from '#middleware/call.ts';
import { createRefusalSampler, fullyRecorded, type RequestLine, requestLog } from '#middleware/request-log.ts';

test('the log line of a request contains its source address and nothing else of the event', () => {
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
  void context.call!.response.close();
  expect(lines).toMatchObject([{ requestId: 'req_1', route: routes.listModels.id, callerAddress: '203.0.113.7' }]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|agent|prompt/);
});

const minute = 60_000;

test('the first refusals of a minute are logged, then one each time the number doubles, with the count of the others', () => {
  const sample = createRefusalSampler();
  const samples = Array.from({ length: 6000 }, () => sample(1, 5 * minute));
  const recorded = samples.flatMap((unlisted, index) => (unlisted === undefined ? [] : [{ at: index + 1, unlisted }]));
  expect(recorded.slice(0, fullyRecorded).every(({ unlisted }) => unlisted === 0)).toBe(true);
  expect(recorded.slice(fullyRecorded).map(({ at }) => at)).toEqual([40, 80, 160, 320, 640, 1280, 2560, 5120]);
  for (const [index, { at }] of recorded.entries()) {
    const counted = recorded.slice(0, index + 1).reduce((sum, { unlisted }) => sum + unlisted + 1, 0);
    expect(counted).toBe(at);
  }
});

test('the count restarts for each account and each minute', () => {
  const sample = createRefusalSampler();
  for (let refusal = 0; refusal < 30; refusal++) sample(1, 5 * minute);
  expect([sample(1, 5 * minute), sample(2, 5 * minute), sample(1, 6 * minute)]).toEqual([undefined, 0, 0]);
});
