import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunkCount } from '#bench/shared/model-replies.ts';
import { startCountedApi } from '#test/service/watched/counted-api.ts';

/** Long against what a busy machine adds to a call, so that the slope is the number of waits and nothing else. */
const delayMs = 250;
const calls = 4;

let api: Awaited<ReturnType<typeof startCountedApi>>;
beforeAll(async () => {
  api = await startCountedApi();
});
afterAll(() => api.close());

/** How many waits for the database follow one another: what a delay of each adds, over that delay (docs/performance.md). */
async function roundTrips(body: object) {
  const { key } = await api.account();
  const times: { delay: number; firstByteMs: number; lastByteMs: number }[] = [];
  for (let call = 0; call < calls; call++) {
    for (const delay of [0, delayMs]) {
      api.delay(delay);
      const response = await api.post('/v1/chat/completions', key, body);
      expect(response.status).toBe(200);
      times.push({ ...response, delay });
    }
  }
  api.delay(0);
  const minMs = (delay: number, of: (time: (typeof times)[number]) => number) =>
    Math.min(...times.filter((time) => time.delay === delay).map(of));
  const slope = (of: (time: (typeof times)[number]) => number) => (minMs(delayMs, of) - minMs(0, of)) / delayMs;
  return { first: slope(({ firstByteMs }) => firstByteMs), last: slope(({ lastByteMs }) => lastByteMs) };
}

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };

/** A machine that stands still for a moment may be met once, a wait too many is met each time. */
const again = { retry: 2 };

test.each([
  ['in one piece', chat],
  ['streamed', { ...chat, stream: true }],
])(
  'a response %s waits for the database once before its first byte, and once more before its end',
  again,
  async (_, body) => {
    const { first, last } = await roundTrips(body);
    expect(first).toBeGreaterThan(0.85);
    expect(first).toBeLessThan(1.15);
    expect(last).toBeGreaterThan(1.85);
    expect(last).toBeLessThan(2.15);
  },
);

test('a stream has a frame for each that the model made, and one that marks it whole', async () => {
  const { key } = await api.account();
  const { text } = await api.post('/v1/chat/completions', key, { ...chat, stream: true });
  const frames = text.split('\n\n').filter(Boolean);
  const made = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as { message: string; data: any });
  const words = made.map(({ data }) => data?.choices?.[0]?.delta?.content).filter((content) => content);
  expect(words).toHaveLength(chunkCount);
  expect(made.map(({ message }) => message)).toEqual([...made.slice(1).map(() => 'STREAM_CHUNK'), 'STREAM_COMPLETE']);
  expect(made).toHaveLength(chunkCount + 1 + 1);
});
