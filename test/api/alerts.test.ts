import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { times } from '#test/many.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { chat, code, type Person, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const somebody = usePerson(service);

const put = ({ cookie }: Pick<Person, 'cookie'>, body: unknown) => service.call('PUT', '/api/alerts', { cookie, body });
const get = async ({ cookie }: Person) => (await service.call('GET', '/api/alerts', { cookie })).body.data;
const chatWith = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });
const subjects = async ({ email }: Person) =>
  (await mailsTo(service, email)).map(({ subject }) => subject).filter((subject) => !/^Confirm|API key/.test(subject));

const byMail = (...rules: object[]) => ({ rules, channels: ['email'] });
const balanceBelow = (value: number) => ({ kind: 'balance_below', value });
const monthPercent = (value: number) => ({ kind: 'month_percent', value });

describe('alerts', () => {
  it('default to emails at 80 and 100% of the month, and can be replaced', async () => {
    const person = await service.person();
    expect(await get(person)).toEqual(byMail(monthPercent(80), monthPercent(100)));
    const chosen = byMail(balanceBelow(500), monthPercent(50), { kind: 'key_percent', value: 90, keyId: person.keyId });
    expect((await put(person, chosen)).body.data).toEqual(chosen);
    expect(await get(person)).toEqual(chosen);
  });

  it('can be read and replaced with an API key', async () => {
    const { key } = await service.person();
    const chosen = byMail(balanceBelow(5));
    expect((await service.call('PUT', '/api/alerts', { key, body: chosen })).body.data).toEqual(chosen);
    expect((await service.call('GET', '/api/alerts', { key })).body.data).toEqual(chosen);
  });

  it('are sent once for a balance, by the call that crosses the threshold', async () => {
    const person = await service.person({ credits: 4 });
    await put(person, byMail(balanceBelow(3)));
    await chatWith(person.key);
    expect(await subjects(person)).toEqual([]);
    await chatWith(person.key);
    await chatWith(person.key);
    expect(await subjects(person)).toEqual(['Your balance is below 3 credits']);
  });

  it('are sent once per period for a key, and show its first and last characters', async () => {
    const person = await service.person({ credits: 50 });
    const body = { name: 'limited', limit: { credits: 4, period: 'day' } };
    const { key } = (await service.call('POST', '/api/keys', { cookie: person.cookie, body })).body.data;
    await put(person, byMail({ kind: 'key_percent', value: 50 }));
    for (let call = 0; call < 4; call++) await chatWith(key);
    expect(await subjects(person)).toEqual(['A key has used 50% of its limit']);
    const [mail] = await mailsTo(service, person.email);
    expect(mail?.text).toContain(`${key.slice(0, 17)}…${key.slice(-4)}`);
  });

  it('of all limited keys together are limited to 100 a day', async () => {
    const person = await service.person({ credits: 50 });
    await put(person, byMail(...times(20, (index) => ({ kind: 'key_percent', value: index + 1 }))));
    for (let round = 0; round < 6; round++) {
      const body = { name: 'limited', limit: { credits: 1, period: 'day' } };
      const { cookie } = person;
      const { key, id } = (await service.call('POST', '/api/keys', { cookie, body })).body.data;
      await chatWith(key);
      await service.call('DELETE', `/api/keys/${id}`, { cookie });
    }
    await expect.poll(async () => (await subjects(person)).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(100);
    await sleep(500);
    expect(await subjects(person)).toHaveLength(100);
  });

  it('are not sent without a rule or a channel', async () => {
    const person = await service.person({ credits: 1 });
    await put(person, { rules: [balanceBelow(100)], channels: [] });
    await chatWith(person.key);
    await put(person, byMail());
    expect(await subjects(person)).toEqual([]);
    expect(await get(person)).toEqual(byMail());
  });

  it.each([
    [
      byMail({ kind: 'weather', value: 5 }),
      'rules.0.kind must be balance_below, month_percent, key_percent or cap_percent.',
    ],
    [byMail({ kind: 'month_percent', value: 101 }), 'rules.0.value must be at most 100.'],
    [byMail({ kind: 'month_percent', value: 0 }), 'rules.0.value must be positive.'],
    [byMail({ kind: 'balance_below', value: 1.5 }), 'rules.0.value must be an integer.'],
    [byMail(monthPercent(50), monthPercent(50)), 'rules must not have duplicate rules.'],
    [byMail(...times(21, (index) => monthPercent(index + 1))), 'rules must have at most 20 entries.'],
    [{ rules: [], channels: ['pigeon'] }, 'channels.0 must be email or webhook.'],
    [{ channels: ['email'] }, 'rules is required.'],
    [byMail({ kind: 'key_percent', value: 50, keyId: 'none' }), 'rules.0.keyId is not a key of this account.'],
  ])('with an invalid rule return 400 with the field and keep the previous rules: %j', async (body, detail) => {
    const refused = await put(somebody, body);
    expect([refused.status, refused.body.detail]).toEqual([400, detail]);
    expect(await get(somebody)).toEqual(byMail(monthPercent(80), monthPercent(100)));
  });

  it('for a key of another account return 400', async () => {
    const { keyId } = await service.person();
    const refused = await put(somebody, byMail({ kind: 'key_percent', value: 50, keyId }));
    expect(code(refused)).toBe('400 INVALID_FORMAT');
  });
});
