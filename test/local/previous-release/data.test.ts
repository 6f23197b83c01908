import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { organizationCalls, type Session } from '#test/requests/organizations.ts';
import { chat, code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';
import { type Facts, facts } from './make-data.ts';

const { email, password, unconfirmed } = facts;

describe('a data folder of the previous release', () => {
  let folder: string;
  let service: TestService;
  let before: Facts;
  let ada: Session;
  const read = async (path: string) => (await service.call('GET', path, { cookie: ada.cookie })).body.data;
  const old = (path: string) => before.read[path];
  const agentPath = () => `/api/agents/${old('/api/agents').items[0].id}`;
  const complete = (key: string) => service.call('POST', '/v1/chat/completions', { key, body: chat() });

  beforeAll(async () => {
    folder = await testFolder();
    execFileSync('tar', ['-C', folder, '-xzf', join(import.meta.dirname, 'data.tar.gz')]);
    before = JSON.parse(await readFile(join(folder, 'facts.json'), 'utf8')) as Facts;
    const data = join(folder, 'data');
    await writeFile(join(data, 'clock.json'), JSON.stringify({ offsetMs: before.endedAt + 60_000 - Date.now() }));
    service = await startTestService({ data });
    const signedIn = await service.call('POST', '/api/auth/login', { body: { email, password } });
    ada = { id: before.id, email, cookie: cookieOf(signedIn) };
  }, 60_000);
  afterAll(async () => {
    await service.close();
    await removeFolder(folder);
  });

  it('accepts the password of before, and shows the same account', async () => {
    expect(await read('/api/auth/me')).toMatchObject({ ...old('/api/auth/me'), hasSecondFactor: false });
  });

  it.each(['/api/keys', '/api/subscription', '/api/webhooks', '/api/agents', '/api/alerts', '/api/requests'])(
    'returns the same from %s',
    async (path) => {
      expect(await read(path)).toMatchObject(old(path));
    },
  );

  it('returns the same balance, ledger and usage, by day, time zone and member', async () => {
    expect(await read('/api/credits')).toMatchObject(old('/api/credits'));
    expect(await read('/api/usage?group=key')).toMatchObject(old('/api/usage?group=key'));
    const calls = async (query: string) =>
      (await read(`/api/usage?${query}`)).days.reduce((sum: number, day: any) => sum + day.calls, 0);
    const all = await calls('group=service');
    expect(all).toBeGreaterThan(3);
    expect(await calls('group=model&timezone=Pacific/Kiritimati')).toBe(all);
    const members = (await read('/api/usage?group=member')).days;
    expect(members).toContainEqual(expect.objectContaining({ memberId: ada.id, calls: 3 }));
  });

  it('accepts calls with its keys, within their limits, and charges them', async () => {
    const { balance } = await read('/api/credits');
    expect([(await complete(before.key)).status, (await complete(before.limitedKey)).status]).toEqual([200, 200]);
    await service.settled();
    const after = await read('/api/credits');
    expect([after.balance, after.entries.length]).toEqual([balance - 2, old('/api/credits').entries.length + 2]);
    const limited = (await read('/api/keys')).find(({ name }: any) => name === 'limited');
    expect(limited.limit).toMatchObject({ credits: 100, used: 2 });
  });

  it('continues conversations with the documents of its agents', async () => {
    const path = agentPath();
    expect(await read(`${path}/documents`)).toMatchObject(old(`${path}/documents`));
    const [{ id }] = old(`${path}/conversations`).items;
    const message = { cookie: ada.cookie, body: { content: 'And on Sundays?' } };
    expect((await service.call('POST', `${path}/conversations/${id}/messages`, message)).status).toBe(200);
  });

  it('shows a personal organization, and lets its owner create a shared one with members', async () => {
    const calls = organizationCalls(service);
    const { items } = (await calls.call('GET', '', ada)).body.data;
    expect(items).toMatchObject([{ id: ada.id, name: 'Ada', role: 'owner', requiresSecondFactor: false }]);
    const id = await calls.create(ada);
    const member = await service.person();
    await calls.join(id, ada, member, 'developer');
    const key = await calls.within(id, 'POST', '/api/keys', { cookie: member.cookie, body: { name: 'shared' } });
    expect((await complete(key.body.data.key)).status).toBe(200);
  });

  it('exports what it stored', async () => {
    const { items } = await read('/api/account/export');
    const kinds = new Set(items.map(({ kind }: any) => kind));
    const expected = ['account', 'agent', 'conversation', 'credits', 'key', 'ledger_entry', 'request', 'webhook'];
    expect([...kinds]).toEqual(expect.arrayContaining(expected));
    expect(items.filter(({ kind }: any) => kind === 'key')).toHaveLength(3);
  });

  it('confirms an address that was registered before', async () => {
    const waiting = await service.call('POST', '/api/auth/login', { body: { email: unconfirmed, password } });
    const cookie = cookieOf(waiting);
    expect(code(await service.call('POST', '/api/auth/resend-confirmation', { cookie }))).toBe(
      '200 CONFIRMATION_LINK_SENT',
    );
    await mailsTo(service, unconfirmed);
    const token = await service.mailedToken(unconfirmed);
    expect((await service.call('GET', `/api/auth/confirm?token=${token}`, { cookie })).status).toBe(200);
  });

  it('renews the plan with the next month', async () => {
    const subscription = await read('/api/subscription');
    await service.post('/_local/clock', { advance: 'P1M' });
    await service.settled();
    const { entries } = (await service.call('GET', '/api/credits', { key: before.key })).body.data;
    const renewed = entries.filter(({ type, source }: any) => type === 'grant' && source === 'plan');
    expect(renewed.length).toBeGreaterThan(1);
    const next = (await service.call('GET', '/api/subscription', { key: before.key })).body.data;
    expect(next).toMatchObject({ id: subscription.id, planId: subscription.planId, status: 'active' });
    expect([subscription.nextBillingDate, next.nextBillingDate]).toEqual(['2040-02-15', '2040-03-15']);
  });
});
