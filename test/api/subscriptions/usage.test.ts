import { describe, expect, it } from 'vitest';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { day, subscriptionCalls } from '#test/requests/subscription-calls.ts';
import { localDay } from '#test/requests/time-zones.ts';
import { chat, code, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { call, now } = subscriptionCalls(service);

describe('services and usage', () => {
  it('list the services with their price and quota', async () => {
    const person = await service.person();
    const { body } = await call('GET', '/api/services', person);
    expect(body.data.services).toContainEqual({
      name: 'translation',
      unit: 'word',
      unitSize: 100,
      credits: 10,
      description: expect.any(String),
    });
    await call('POST', '/v1/chat/completions', person, chat());
    const quota = await call('GET', '/api/services/chat/quota', person);
    expect(quota.body.data).toEqual({
      service: 'chat',
      quota: 100,
      used: 1,
      remaining: 99,
      resetsAt: expect.any(String),
    });
    expect(code(await call('GET', '/api/services/constructor/quota', person))).toBe('404 NOT_FOUND');
  });

  it('list the ledger in pages, newest first, and usage by day', async () => {
    const person = await service.person({ planRank: 2 });
    for (let made = 0; made < 3; made++) await call('POST', '/v1/chat/completions', person, chat());
    await service.settled();
    const first = (await call('GET', '/api/credits?limit=2', person)).body.data;
    expect(first.entries.map(({ seq, type, credits }: Record<string, unknown>) => [seq, type, credits])).toEqual([
      [5, 'charge', -1],
      [4, 'charge', -1],
    ]);
    expect(first.entries[0]).toMatchObject({ service: 'chat', model: 'svc-1', keyId: person.keyId, balance: 5097 });
    const second = (await call('GET', `/api/credits?limit=50&cursor=${first.nextCursor}`, person)).body.data;
    expect(second.entries.map(({ seq }: Record<string, unknown>) => seq)).toEqual([3, 2, 1]);
    expect(second.nextCursor).toBeNull();
    const today = day(await now());
    const usage = (await call('GET', '/api/usage?group=service', person)).body.data;
    expect(usage).toMatchObject({ to: today, days: [{ date: today, service: 'chat', calls: 3, credits: 3 }] });
    expect(code(await call('GET', '/api/usage?from=2030-01-02&to=2030-01-01', person))).toBe('400 INVALID_FORMAT');
    expect(code(await call('GET', '/api/credits?limit=0', person))).toBe('400 INVALID_FORMAT');
  });

  it('list usage by the days of a time zone, and refuse an unknown zone by name', async () => {
    const person = await service.person({ planRank: 2 });
    await call('POST', '/v1/chat/completions', person, chat());
    await service.settled();
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'asia/kathmandu', 'UTC']) {
      const usage = (await call('GET', `/api/usage?group=service&timezone=${timezone}`, person)).body.data;
      const today = localDay(timezone, await now());
      expect(usage).toEqual({
        from: localDay(timezone, (await now()) - 29 * 86_400_000),
        to: today,
        timezone,
        days: [{ date: today, service: 'chat', calls: 1, credits: 1, tokens: expect.any(Object) }],
      });
    }
    for (const wrong of ['Europe/Nowhere', '%2B05:30', '', 'x'.repeat(65)]) {
      const refused = await call('GET', `/api/usage?timezone=${wrong}`, person);
      expect([code(refused), refused.body.detail]).toEqual([
        '400 INVALID_FORMAT',
        expect.stringMatching(/^timezone must/),
      ]);
    }
    const refused = await call('GET', '/api/usage?timezone=Europe/Nowhere', person);
    expect(refused.body.detail).toBe(
      'timezone must be the IANA name of a time zone such as Europe/Berlin, not "Europe/Nowhere".',
    );
  });

  it('send one email at 80% of the credits and one at 100%', async () => {
    const person = await service.person({ planRank: 2, credits: 5 });
    for (let made = 0; made < 5; made++) await call('POST', '/v1/chat/completions', person, chat());
    const subjects = (await mailsTo(service, person.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => !/API key|now on/.test(subject))).toEqual([
      'Your credits are used up',
      'You have used 80% of your credits',
      'Confirm your email address',
    ]);
  });
});
