import { describe, expect, it } from 'vitest';
import { numberFor, sender } from '#test/messages/sender.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService({
  environment: { MESSAGES_PER_NUMBER: '3', MESSAGES_PER_ACCOUNT: '6', MESSAGES_PER_RANGE: '4' },
});

/** Numbers of one range of ten thousand. */
const range = (): ((index: number) => string) => {
  const first = numberFor();
  return (index) => `${first.slice(0, -4)}${2110 + index}`;
};
const later = (seconds: number) => service.post('/_local/clock', { advance: `PT${seconds}S` });
const codes = (count: number, one: (index: number) => Promise<Parameters<typeof code>[0]>) =>
  Array.from({ length: count }).reduce<Promise<string[]>>(
    async (done, _, index) => [...(await done), code(await one(index))],
    Promise.resolve([]),
  );
const sentAll = (count: number) => Array.from({ length: count }, () => '201 SUCCESS');
const refused = '429 RATE_LIMIT_EXCEEDED';

describe('the message limit', () => {
  it('for one number counts all senders, and returns the retry time', async () => {
    const [one, other] = [await sender(service), await sender(service)];
    const to = numberFor();
    expect(await codes(4, (index) => (index % 2 ? one : other).send({ to }))).toEqual([...sentAll(3), refused]);
    const late = await (await sender(service)).send({ to });
    const seconds = Number(late.headers.get('retry-after'));
    expect(late.body.detail).toBe(
      `3 messages have been sent to this number this hour, the limit for all accounts; try again in ${seconds} s.`,
    );
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(3600);
    expect(code(await one.send({ to: numberFor() }))).toBe('201 SUCCESS');
    await later(seconds);
    expect(code(await other.send({ to }))).toBe('201 SUCCESS');
  });

  it('for a range of numbers counts all accounts and numbers', async () => {
    const numbers = range();
    const all = await codes(6, async (index) => (await sender(service)).send({ to: numbers(index) }));
    expect(all).toEqual([...sentAll(4), refused, refused]);
    const me = await sender(service);
    const late = await me.send({ to: numbers(9) });
    expect(late.body.detail).toMatch(
      /^4 messages have been sent this hour to numbers that differ from this one in their last four digits only, the limit for all/,
    );
    expect(await me.credits()).toBe(5100);
    await later(Number(late.headers.get('retry-after')));
    expect(code(await me.send({ to: numbers(9) }))).toBe('201 SUCCESS');
  });

  it('for one account applies until the next day', async () => {
    const me = await sender(service);
    expect(await codes(7, () => me.send({ to: numberFor('03') }))).toEqual([
      ...Array.from({ length: 6 }, () => '409 RECIPIENT_OPTED_OUT'),
      refused,
    ]);
    const late = await me.send({ to: numberFor() });
    expect(late.body.detail).toMatch(
      /^You have used up the 6 messages that an account may send per day; try again in \d+ s\.$/,
    );
    await later(Number(late.headers.get('retry-after')));
    expect(code(await me.send({ to: numberFor() }))).toBe('201 SUCCESS');
  });

  it('holds for concurrent messages', async () => {
    const me = await sender(service);
    const to = numberFor();
    const senders = [me, await sender(service)];
    const all = await Promise.all(Array.from({ length: 12 }, (_, index) => senders[index % 2]!.send({ to })));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(3);
    const counts = await Promise.all(senders.map(async ({ list }) => (await list()).items.length));
    expect(counts.toSorted((one, other) => one - other)).toEqual([1, 2]);
  });
});

describe('one account', () => {
  it('can use at most half of the limit of a number or a range', async () => {
    const [one, other] = [await sender(service), await sender(service)];
    const to = numberFor();
    expect(await codes(4, () => one.send({ to }))).toEqual([...sentAll(2), refused, refused]);
    const ofNumber = (await one.send({ to })).body.detail;
    expect(ofNumber).toMatch(/^You have sent 2 messages to this number this hour, the limit per account; try/);
    expect(code(await other.send({ to }))).toBe('201 SUCCESS');
    const numbers = range();
    expect(await codes(4, (index) => one.send({ to: numbers(index) }))).toEqual([...sentAll(2), refused, refused]);
    const ofRange = (await one.send({ to: numbers(5) })).body.detail;
    expect(ofRange).toMatch(/^You have sent 2 messages this hour to numbers that .* only, the limit per account;/);
    expect(await codes(2, (index) => other.send({ to: numbers(index) }))).toEqual(sentAll(2));
  });

  it('cannot block others with refused messages, which are free and count only for itself', async () => {
    const [one, other] = [await sender(service), await sender(service)];
    const to = numberFor('03');
    expect(new Set(await codes(6, () => one.send({ to })))).toEqual(new Set(['409 RECIPIENT_OPTED_OUT']));
    expect(code(await other.send({ to }))).toBe('409 RECIPIENT_OPTED_OUT');
    expect(await codes(2, () => other.send({ to: `${to.slice(0, -2)}00` }))).toEqual(sentAll(2));
    expect(code(await one.send({ to: numberFor() }))).toBe(refused);
  });
});

it('an account whose plan, key or balance does not cover messages receives the usual refusal', async () => {
  const to = numberFor();
  const free = await service.person();
  const body = { channel: 'sms', to, text: 'Hello' };
  const refusal = await service.call('POST', '/api/messages', { key: free.key, body });
  expect([code(refusal), refusal.body.detail]).toEqual([
    '403 INSUFFICIENT_PERMISSIONS',
    'The service sms requires the plan dev_pass or above.',
  ]);
  const poor = await service.person({ planRank: 2, credits: 1 });
  expect(code(await service.call('POST', '/api/messages', { key: poor.key, body }))).toBe('402 INSUFFICIENT_CREDITS');
  const me = await sender(service);
  const keyWith = async (limits: object): Promise<string> =>
    (await service.call('POST', '/api/keys', { cookie: me.cookie, body: { name: 'limited', ...limits } })).body.data
      .key;
  const byKey = async (limits: object, about: object = {}) =>
    code(await service.call('POST', '/api/messages', { key: await keyWith(limits), body: { ...body, ...about } }));
  expect(await byKey({ services: ['chat'] })).toBe('403 INSUFFICIENT_PERMISSIONS');
  expect(await byKey({ services: ['sms'] }, { channel: 'voice_call' })).toBe('403 INSUFFICIENT_PERMISSIONS');
  expect(await byKey({ limit: { credits: 1, period: 'day' } })).toBe('403 KEY_LIMIT_EXCEEDED');
  expect(await byKey({ services: ['sms'], limit: { credits: 2, period: 'day' } })).toBe('201 SUCCESS');
  // A limit to models does not apply to services without models.
  expect(await byKey({ models: ['svc-1'] })).toBe('201 SUCCESS');
});
