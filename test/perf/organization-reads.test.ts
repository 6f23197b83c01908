import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { issueCredential } from '#domain/shared/credential.ts';
import { userRow } from '#repositories/accounts/account-items.ts';
import { memberRow, organizationRow } from '#repositories/accounts/organization-items.ts';
import { sessionStore } from '#repositories/accounts/sessions.ts';
import { ambient } from '#runtime/process.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

const api = useCountedApi();
const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
let session: string;
let own: Awaited<ReturnType<typeof api.account>>;
let organization: typeof own;

beforeAll(async () => {
  [own, organization] = [await api.account(), await api.account()];
  const now = ambient.clock.now();
  const { accountId: id } = own;
  const person = {
    id,
    email: 'ada@example.com',
    name: 'Ada',
    role: 'viewer',
    createdAt: now,
    confirmedAt: now,
    secondFactorAt: now,
  } as const;
  const facts = {
    id: organization.accountId,
    name: 'Harbor',
    createdAt: now,
    owners: 1,
    members: 1,
    open: new Map(),
    secondFactorRequiredAt: now,
  };
  const rows = [
    userRow(person, undefined),
    organizationRow(facts),
    memberRow(organization.accountId, { userId: id, role: 'owner', joinedAt: now }),
  ];
  for (const Item of rows) await api.client.send(new PutCommand({ TableName: tables.accounts.name, Item }));
  const issued = issueCredential('session', id, ambient.random);
  session = issued.text;
  await sessionStore(api.client, tables.accounts.name).open(id, {
    digest: issued.digest,
    browser: null,
    system: null,
    country: null,
    isLocal: false,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + 3_600_000,
    sessionsValidFrom: 0,
  });
});

const balanceFor = async (headers?: Record<string, string>) => {
  const { status, data, operations, roundTrips } = await api.get('/api/credits/me', session, headers);
  return { status, id: data.id, operations, roundTrips };
};

it('the role and the second factor in an organization cost a request with a session no further one', async () => {
  const read = { status: 200, operations: ['BatchGetItem', 'GetItem'], roundTrips: 2 };
  expect(await balanceFor()).toEqual({ ...read, id: own.accountId });
  expect(await balanceFor({ 'x-organization': String(own.accountId) })).toEqual({ ...read, id: own.accountId });
  expect(await balanceFor({ 'x-organization': String(organization.accountId) })).toEqual({
    ...read,
    id: organization.accountId,
  });
});

it('the organization of a key costs its call nothing, with or without the header', async () => {
  for (const headers of [{}, { 'x-organization': String(organization.accountId) }]) {
    const { status, operations } = await api.post('/v1/chat/completions', organization.key, chat, headers);
    expect([status, operations]).toEqual([200, ['UpdateItem', 'model', 'UpdateItem']]);
  }
});
