import { expect, test } from 'vitest';
import { writeUnits } from '#bench/cost/cost.ts';
import { tables } from '#contract/platform/resources.ts';
import { projectInOrder } from '#domain/billing/ledger.ts';
import { ledgerStore } from '#repositories/billing/ledger.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { faultyClient } from '#test/database/faulty-client.ts';
import { times } from '#test/many.ts';

const database = useTestDatabase();
const start = 1_800_000_000;

/** Requests and write units of items below 1 KB, which count twice in a transaction. */
function countedStore() {
  const counted = { requests: 0, units: 0 };
  const { client } = faultyClient(database.url);
  client.middlewareStack.add(
    (next) => (args) => {
      const { TransactItems, Statements } = args.input as { TransactItems?: unknown[]; Statements?: unknown[] };
      const isRead = 'KeyConditionExpression' in args.input || 'ConsistentRead' in args.input;
      counted.requests += 1;
      if (!isRead) counted.units += TransactItems ? 2 * TransactItems.length : (Statements?.length ?? 1);
      return next(args);
    },
    { step: 'initialize', priority: 'low' },
  );
  const names = { ledger: tables.ledger.name, accounts: tables.accounts.name };
  return { counted, store: ledgerStore(client, names, 'http://127.0.0.1'), close: () => client.destroy() };
}

const chargeOf = (accountId: number, seq: number, at: number) => ({
  accountId,
  seq,
  balance: 1e12,
  used: {},
  period: 0,
  entries: [{ type: 'charge', at, amount: -1, service: 'chat', model: 'svc-1', keyId: `key-${accountId}` } as const],
});

test('the ledger of a busy account uses 1.1 write units and a fifth of a request a call', async () => {
  const { counted, store, close } = countedStore();
  const calls = times(1280, (call) => chargeOf(1, call + 1, start + Math.floor(call / 50)));
  for (let at = 0; at < calls.length; at += 100) await projectInOrder(store, calls.slice(at, at + 100), start * 1000);
  expect(counted.units / calls.length).toBeLessThan(1.1);
  expect(counted.requests / calls.length).toBeLessThan(0.2);
  close();
});

test('the ledger of accounts with rare calls uses the write units of the cost table, in shared requests', async () => {
  const { counted, store, close } = countedStore();
  const accounts = times(20, (index) => 100 + index);
  for (let seq = 1; seq <= 128; seq++) {
    const at = start + 61 * seq;
    await Promise.all(accounts.map((id) => projectInOrder(store, [chargeOf(id, seq, at)], start * 1000)));
  }
  const calls = accounts.length * 128;
  expect(counted.units / calls).toBe(writeUnits.ledger + writeUnits.key);
  expect(counted.requests / calls).toBeLessThan(1.1);
  close();
});
