import { describe, expect, it } from 'vitest';
import { endTranscriptions } from '#jobs/audio.ts';
import { services } from '#runtime/services/container.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { uploaded, transcribed } from '#test/audio/long-audio.ts';
import { eventOf, hanging, wav } from '#test/audio/long-jobs.ts';
import { atLength, times } from '#test/many.ts';
import { numberFor, sender } from '#test/messages/sender.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { chat, code, type Person, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const somebody = usePerson(service);

const get = async ({ cookie }: Person) => (await service.call('GET', '/api/limits', { cookie })).body.data;
const put = ({ cookie }: Person, monthlyCredits: unknown) =>
  service.call('PUT', '/api/limits', { cookie, body: { monthlyCredits } });
const chatWith = ({ key }: Person, headers = {}) =>
  service.call('POST', '/v1/chat/completions', { key, headers, body: chat() });
const outcomes = async (calls: readonly Promise<Parameters<typeof code>[0]>[]) => {
  const codes = (await Promise.all(calls)).map(code);
  return Object.fromEntries(
    Map.groupBy(codes, (name) => name)
      .entries()
      .map(([name, { length }]) => [name, length]),
  );
};
const nextMonth = () => {
  const now = new Date(services().clock.now());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
};

describe('GET /api/limits', () => {
  it('shows the credits used in the month, the reset and a forecast, even without a cap', async () => {
    const person = await service.person({ credits: 100 });
    await Promise.all(times(2, () => chatWith(person)));
    await expect.poll(async () => (await get(person)).used).toBe(2);
    const { forecast, ...rest } = await get(person);
    expect(rest).toEqual({ monthlyCredits: null, used: 2, resetsAt: nextMonth() });
    expect(forecast).toBeGreaterThanOrEqual(2);
    expect(forecast).toBeLessThanOrEqual(62);
  });

  it('is not available to an API key', async () => {
    const { status } = await service.call('GET', '/api/limits', { key: somebody.key });
    expect(status).toBe(403);
  });
});

describe('PUT /api/limits', () => {
  it('counts the calls of the month before the first cap', async () => {
    const person = await service.person({ credits: 100 });
    await Promise.all(times(3, () => chatWith(person)));
    expect((await put(person, 4)).body.data).toMatchObject({ monthlyCredits: 4, used: 3, resetsAt: nextMonth() });
    expect([code(await chatWith(person)), code(await chatWith(person))]).toEqual([
      '200 SUCCESS',
      '402 INSUFFICIENT_CREDITS',
    ]);
  });

  it('counts each call once when the first cap is set while calls run', async () => {
    for (let round = 0; round < atLength(1, 4); round++) {
      const person = await service.person({ planRank: 4 });
      const [set, ...calls] = await Promise.all([put(person, 1000), ...times(60, () => chatWith(person))]);
      expect(code(set)).toBe('200 SUCCESS');
      expect((await get(person)).used).toBe(calls.filter(({ status }) => status === 200).length);
    }
  });

  it('lets exactly 5 of 200 parallel calls succeed with a cap of 5, and names the cap and the reset', async () => {
    const person = await service.person({ planRank: 4 });
    await put(person, 5);
    const codes = await outcomes(times(200, () => chatWith(person)));
    expect(codes['200 SUCCESS']).toBe(5);
    const refused = await chatWith(person);
    expect(code(refused)).toBe('402 INSUFFICIENT_CREDITS');
    expect(refused.body.detail).toBe(
      `This call needs up to 1 credit, and the account's spending cap of 5 credits per month has 0 left; it resets at ${nextMonth()}. Raise the cap or wait.`,
    );
    expect(await get(person)).toMatchObject({ monthlyCredits: 5, used: 5 });
  });

  it('applies to sessions until it is removed, and leaves the balance', async () => {
    const person = await service.person({ credits: 100 });
    await put(person, 1);
    expect(code(await chatWith(person))).toBe('200 SUCCESS');
    const text = { text: 'Good morning', sourceLanguage: 'en', targetLanguage: 'fr' };
    const translated = await service.call('POST', '/api/ai/translate', { cookie: person.cookie, body: text });
    expect(code(translated)).toBe('402 INSUFFICIENT_CREDITS');
    const { body } = await service.call('GET', '/api/credits', { cookie: person.cookie });
    expect(body.data.balance).toBe(99);
    expect((await put(person, null)).body.data).toMatchObject({ monthlyCredits: null, used: 1 });
    expect((await chatWith(person)).headers.get('x-credits-remaining')).toBe('98');
  });

  it('applies to streams and agents, and repeats of a call are free', async () => {
    const person = await service.person({ planRank: 4 });
    const headers = { 'idempotency-key': 'once' };
    await put(person, 3);
    const stream = () => service.open('/v1/chat/completions', person.key, { ...chat(), stream: true });
    await (await stream()).text();
    const owner = await agentOwner(service, {}, person);
    const { write } = await owner.conversation();
    expect(code(await write('Hello'))).toBe('200 SUCCESS');
    expect(code(await chatWith(person, headers))).toBe('200 SUCCESS');
    expect([(await stream()).status, code(await write('Again'))]).toEqual([402, '402 INSUFFICIENT_CREDITS']);
    expect(code(await chatWith(person, headers))).toBe('200 SUCCESS');
    expect((await get(person)).used).toBe(3);
  });

  it('applies to messages, and a message that fails later returns its credits', async () => {
    const me = await sender(service);
    const before = (await me.send({ to: numberFor() })).body.data.credits;
    await put(me, 2 * before);
    const failing = await me.send({ to: numberFor('08') });
    expect([code(failing), code(await me.send({ to: numberFor() }))]).toEqual([
      '201 SUCCESS',
      '402 INSUFFICIENT_CREDITS',
    ]);
    await expect.poll(async () => (await me.get(failing.body.data.id)).status).toBe('failed');
    expect((await get(me)).used).toBe(before);
    expect(code(await me.send({ to: numberFor() }))).toBe('201 SUCCESS');
  });

  it('applies to long audio, and a job that fails returns its credits', async () => {
    const person = await service.person({ credits: 100 });
    await put(person, 3);
    const id = await hanging(service, person);
    expect((await get(person)).used).toBe(2);
    const again = await transcribed(service, person.key, await uploaded(service, person.key, wav));
    expect(code(again)).toBe('402 INSUFFICIENT_CREDITS');
    await endTranscriptions()(eventOf(person, id));
    expect((await get(person)).used).toBe(0);
  });

  it('sends an email at 80 and 100 % of the cap, once a month', async () => {
    const person = await service.person({ credits: 1000 });
    await put(person, 5);
    for (let call = 0; call < 6; call++) await chatWith(person);
    const subjects = async () => (await mailsTo(service, person.email)).map(({ subject }) => subject);
    await expect
      .poll(subjects)
      .toEqual(
        expect.arrayContaining(['You have used 80 % of your spending cap', 'You have used 100 % of your spending cap']),
      );
    const alerts = await service.call('GET', '/api/alerts', { cookie: person.cookie });
    const ofCap = [80, 100].map((value) => ({ kind: 'cap_percent', value }));
    expect(alerts.body.data.rules).toEqual(expect.arrayContaining(ofCap));
    const chosen = { rules: [{ kind: 'balance_below', value: 3 }, ofCap[0]], channels: ['email'] };
    await service.call('PUT', '/api/alerts', { cookie: person.cookie, body: chosen });
    expect((await service.call('GET', '/api/alerts', { cookie: person.cookie })).body.data).toEqual(chosen);
  });

  it.each([
    [0, 'monthlyCredits must be positive.'],
    [1.5, 'monthlyCredits must be an integer.'],
    ['5', 'monthlyCredits must be a number.'],
    [9_007_199_255, 'monthlyCredits must be at most 9007199254.'],
    [undefined, 'monthlyCredits is required.'],
  ])('returns 400 for the invalid cap %j', async (value, detail) => {
    const refused = await put(somebody, value);
    expect([refused.status, refused.body.detail]).toEqual([400, detail]);
    expect((await get(somebody)).monthlyCredits).toBeNull();
  });
});
