import { beforeAll, expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter } from '#domain/billing/grants.ts';
import { accountStore } from '#repositories/accounts/accounts.ts';
import { auditReads, operatorStore } from '#repositories/operators/operators.ts';
import { useTestDatabase } from '#test/database/database.ts';

const names = { accounts: tables.accounts.name, meters: tables.meters.name, audit: tables.audit.name };

const database = useTestDatabase();
beforeAll(async () => {
  await opened(1, 'operator');
});

async function opened(id: number, role: 'operator' | 'viewer' = 'viewer') {
  const account = { id, email: `${id}@example.com`, name: 'A', role, createdAt: 0 } as const;
  const accounts = accountStore(database.client, names.accounts, () => names.meters);
  await accounts.create({ account, meter: openMeter(id, 0, plansOf('listing')) }, 0);
  return accounts;
}

const eventOf = (accountId: number, about: Partial<AuditEvent> = {}): AuditEvent => ({
  accountId,
  action: 'suspend',
  by: 1,
  reason: 'spam',
  at: 1000,
  requestId: `one${accountId}`,
  before: { status: 'active' },
  after: { status: 'suspended' },
  ...about,
});

it('an action that is retried after a lost response runs once with one event', async () => {
  await opened(11);
  const store = operatorStore(database.client, names);
  for (let tries = 0; tries < 3; tries++) expect(await store.suspend(eventOf(11))).toBe(true);
  const { events } = await auditReads(database.client, names.audit).page(11, 10, undefined);
  expect(events).toEqual([eventOf(11)]);
});

it('an action that loses a race writes neither a change nor an event', async () => {
  const accounts = await opened(12);
  const store = operatorStore(database.client, names);
  expect(await store.suspend(eventOf(12))).toBe(true);
  expect(await store.suspend(eventOf(12, { at: 2000, requestId: 'two' }))).toBe(false);
  expect((await accounts.find(12))!.suspendedAt).toBe(1000);
  const { events } = await auditReads(database.client, names.audit).page(12, 10, undefined);
  expect(events.map(({ requestId }) => requestId)).toEqual(['one12']);
});

it.each([
  ['the role was removed', 31, 'viewer', undefined],
  ['the account was suspended', 32, 'operator', 'suspend'],
] as const)('a former operator changes nothing if %s after the request was authorized', async (_, by, role, action) => {
  await opened(by, role);
  await opened(by + 10);
  const store = operatorStore(database.client, names);
  if (action) await store[action](eventOf(by));
  await expect(store.suspend(eventOf(by + 10, { by }))).rejects.toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  const { events } = await auditReads(database.client, names.audit).page(by + 10, 10, undefined);
  expect(events).toEqual([]);
});

it('pages of events list the newest first, for one account and for all, without gaps or repeats', async () => {
  const store = operatorStore(database.client, names);
  const ids = [21, 22];
  for (const id of ids) await opened(id);
  for (let at = 1; at <= 8; at++) {
    const act = at % 4 < 2 ? 'suspend' : 'resume';
    const id = ids[at % 2]!;
    await store[act](eventOf(id, { at: 50_000 + at, requestId: `r${at}` }));
  }
  const reads = auditReads(database.client, names.audit);
  const paged = async (accountId?: number) => {
    const found: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { events, next } = await reads.page(accountId, 3, cursor);
      expect(events.length).toBeLessThanOrEqual(3);
      found.push(...events.filter(({ at }) => at > 50_000).map(({ requestId }) => requestId));
      if (next === null) return found;
      cursor = next;
    }
  };
  const all = await paged();
  expect(all).toEqual(['r8', 'r7', 'r6', 'r5', 'r4', 'r3', 'r1']);
  expect(new Set([...(await paged(21)), ...(await paged(22))])).toEqual(new Set(all));
  expect(await paged(23)).toEqual([]);
});
