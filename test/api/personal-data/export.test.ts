import { describe, expect, it } from 'vitest';
import { exportKinds } from '#contract/accounts/accounts.ts';
import { services } from '#runtime/services/container.ts';
import { putRows, rowsOf } from '#test/database/rows.ts';
import { documentedKinds, tracesOf } from '#test/database/traces.ts';
import { usePayingService } from '#test/payments/paying-service.ts';
import { live, own } from '#test/requests/accounts/life.ts';
import { setRole } from '#test/requests/operator-actions.ts';
import { code } from '#test/service/service.ts';
import { useReceiver } from '#test/webhooks/receiver.ts';

const service = usePayingService();
const receiver = useReceiver();

interface Item {
  readonly kind: string;
  readonly data: Record<string, any>;
}

/** All pages of the export. */
async function exported(cookie: string): Promise<{ items: Item[]; pages: number[] }> {
  const [items, pages]: [Item[], number[]] = [[], []];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/account/export${cursor === '' ? '' : `?cursor=${cursor}`}`;
    const { status, body } = await service.call('GET', path, { cookie });
    if (status !== 200) throw new Error(`${status} ${body.detail}`);
    items.push(...body.data.items);
    pages.push(JSON.stringify(body.data).length);
    cursor = body.data.nextCursor;
  }
  return { items, pages };
}

/** The kinds of stored items that each exported kind comes from. */
const sources: Readonly<Record<(typeof exportKinds)[number], readonly string[]>> = {
  account: ['accounts user/user'],
  credits: ['meters'],
  former_email: ['accounts user/former-email'],
  session: ['accounts user/session'],
  device: ['accounts user/device'],
  passkey: ['accounts user/passkey'],
  organization: ['accounts user/organization'],
  key: ['accounts user/key'],
  email: ['accounts mail/mail', 'accounts user/mail'],
  ledger_entry: ['ledger row', 'ledger part', 'bucket archive'],
  request: ['requests'],
  request_content: ['bucket contents'],
  operator_action: ['audit account'],
  webhook: ['webhooks account/webhook'],
  agent: ['agents account/agent'],
  document: ['agents agent/document'],
  document_text: ['agents index/texts'],
  conversation: ['agents conversation/state'],
  conversation_message: ['agents conversation/message'],
  stored_response: ['responses account'],
  message: ['messages account/message'],
  upload: ['transcriptions account/upload'],
  transcription: ['transcriptions account/job', 'bucket audio'],
  payment: ['payments account/order'],
  billing_profile: ['payments account/profile'],
};

describe('the export of an account', () => {
  it('contains every kind of item that names the person, except the documented ones, and no secret', async () => {
    const operator = await service.person();
    await setRole(operator, 'operator');
    const life = await live(service, receiver.url, operator.cookie);
    const words = [String(life.id), own.email, own.oldEmail, own.phone, 'uillfeather', 'marzipan', ...life.keyIds];
    await (await services().operators()).directory().update();
    const stored = new Set((await tracesOf(words, service.folder)).map(({ kind }) => kind));

    const { items } = await exported(life.cookie);

    const found = new Set(items.map(({ kind }) => kind));
    expect([...found].toSorted()).toEqual([...exportKinds].toSorted());
    const covered = new Set(Object.values(sources).flat());
    const omitted = await documentedKinds('Not in the export');
    expect([...stored].filter((kind) => !covered.has(kind) && !omitted.has(kind))).toEqual([]);
    expect([...omitted.keys()].filter((kind) => covered.has(kind) || !stored.has(kind))).toEqual([]);

    const text = JSON.stringify(items);
    for (const word of words) expect(text).toContain(word);
    for (const token of life.tokens) expect(text).not.toContain(token);
    expect(text).not.toMatch(/\$scrypt|[Dd]igest|passwordHash|whsec_|"secret"|"recovery"|publicKey|signCount/);
    const { alone, kept, shared, other } = life.organizations;
    for (const { email, id } of [operator, other]) {
      expect(text).not.toContain(email);
      expect(text).not.toContain(String(id));
    }

    const of = (kind: string) => items.filter((item) => item.kind === kind).map(({ data }) => data);
    const joinedAt = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(of('organization').toSorted((one, two) => one['name'].localeCompare(two['name']))).toEqual([
      { id: shared, name: 'Harbor Lights', role: 'owner', joinedAt },
      { id: kept, name: 'Harbor Works', role: 'owner', joinedAt },
      { id: alone, name: 'Quillfeather Works', role: 'owner', joinedAt },
    ]);
    expect(of('passkey')).toEqual([{ name: 'Quillfeather', credentialId: expect.any(String), createdAt: joinedAt }]);
    expect(of('account')).toMatchObject([{ secondFactorAt: joinedAt, mailsOff: ['receipts', 'webhooks'] }]);
    const reasons = of('operator_action').map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['ticket 1', 'ticket 2']));
    expect(of('credits')).toMatchObject([{ monthlyCap: 900_000 }]);
  }, 180_000);

  it('contains every item once, in pages of bounded size', async () => {
    const person = await service.person();
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const request = { status: 200, cost: 0, latency: 1, record: { service: 'chat', headers: {} } };
    await putRows(
      'requests',
      Array.from({ length: 1200 }, (_, index) => ({ a: person.id, sk: `${at(index)}#r${index}`, ...request })),
    );
    const text = 'x'.repeat(300_000);
    await putRows(
      'messages',
      Array.from({ length: 12 }, (_, index) => ({ pk: `account#${person.id}`, sk: `message#msg_${index}`, text })),
    );
    const agents = Array.from({ length: 5 }, (_, index) => `agt_${person.id}${index}`);
    const conversations = agents.flatMap((agent) =>
      Array.from({ length: 7 }, (_, index) => [agent, `${agent}_${index}`]),
    );
    await putRows('agents', [
      ...agents.map((agent) => ({ pk: `account#${person.id}`, sk: `agent#${agent}`, name: agent, functions: '[]' })),
      ...conversations.map(([agent, id]) => ({ pk: `agent#${agent}`, sk: `conversation#${id}` })),
      ...conversations.flatMap(([, id]) =>
        Array.from({ length: 60 }, (_, index) => {
          const sk = `message#${String(index).padStart(10, '0')}`;
          return { pk: `conversation#${id}`, sk, role: 'user', content: `${id} ${index}` };
        }),
      ),
    ]);

    const { items, pages } = await exported(person.cookie);

    expect(Math.max(...pages)).toBeLessThan(1_600_000);
    const valuesOf = (kind: string, field: string) =>
      items.filter((item) => item.kind === kind).map(({ data }) => String(data[field]));
    expect(valuesOf('request', 'requestId')).toEqual(Array.from({ length: 1200 }, (_, index) => `r${index}`));
    expect(valuesOf('message', 'id').toSorted()).toEqual(
      Array.from({ length: 12 }, (_, index) => `msg_${index}`).toSorted(),
    );
    const written = conversations.flatMap(([, id]) => Array.from({ length: 60 }, (_, index) => `${id} ${index}`));
    expect(valuesOf('conversation_message', 'content').toSorted()).toEqual(written.toSorted());
  }, 180_000);

  it('never leads to another account, whatever its cursor names', async () => {
    const [owner, other] = [await service.person(), await service.person()];
    await putRows('agents', [
      { pk: `account#${owner.id}`, sk: 'agent#agt_owned', name: 'Owned', functions: '[]' },
      { pk: 'agent#agt_owned', sk: 'document#doc_1', name: 'plum-cake.txt' },
    ]);
    const note = (await rowsOf('accounts')).find(
      ({ pk, sk }) => pk === `user#${owner.id}` && String(sk).startsWith('mail#'),
    );
    const forged = [
      [{ n: 4, at: 'agent#agt_owned' }, { n: 0 }],
      [{ n: 0, at: String(note?.['sk']) }, { n: 0 }],
    ];
    for (const place of forged) {
      const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
      const read = (cookie: string) => service.call('GET', `/api/account/export?cursor=${cursor}`, { cookie });
      const own = JSON.stringify((await read(owner.cookie)).body.data.items);
      expect(own).toMatch(/plum-cake|Confirm your email/);
      const text = JSON.stringify((await read(other.cookie)).body.data.items);
      expect(text).not.toContain('plum-cake');
      expect(text).not.toContain(owner.email);
      expect(text).not.toContain(String(owner.id));
    }
    const invalid = [[{ n: -1 }], [{ n: 1, at: 'x'.repeat(1025) }], [{ n: 3, at: 'é'.repeat(513) }]];
    const encoded = invalid.map((place) => Buffer.from(JSON.stringify(place)).toString('base64url'));
    for (const cursor of ['x', 'W10', ...encoded])
      expect(code(await service.call('GET', `/api/account/export?cursor=${cursor}`, { cookie: owner.cookie }))).toBe(
        '400 INVALID_FORMAT',
      );
    expect(code(await service.call('GET', '/api/account/export', { key: owner.key }))).toBe(
      '403 INSUFFICIENT_PERMISSIONS',
    );
  });
});
