import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { setInRow } from '#test/database/rows.ts';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService();

test('the ledger lists the calls of lanes, each once, and the audit finds no difference', async () => {
  const { id, key } = await service.person();
  for (const [name, value] of Object.entries({ q: 1000, ml: unlimited, n: 0, m: unlimited, b: {} }))
    await setInRow('meters', { a: id }, name, value);
  const client = dynamoClient();
  const store = meterStore(client, tables.meters.name, ambient.random);
  const meter = await store.find(id);
  if (!meter) throw new Error('the account is gone');
  const seconds = Math.floor(services().clock.now() / 1000);
  expect(await store.openLanes(meter, { count: 3, amount: 20e6, until: seconds + 180, at: seconds + 1 })).toBe(true);
  const calls = 9;
  for (let call = 0; call < calls; call++)
    expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(200);
  await service.settled();
  await service.settled();
  const { Item = {} } = await client.send(
    new GetCommand({ TableName: tables.meters.name, Key: { a: id }, ConsistentRead: true }),
  );
  const posted = Object.values(Item['ln'] as Record<string, [number, number]>).reduce((sum, [, seq]) => sum + seq, 0);
  expect(posted).toBeGreaterThanOrEqual(calls - 2);
  const { entries } = (await service.call('GET', '/api/credits', { key })).body.data as {
    entries: { type: string; requestId?: string }[];
  };
  const charges = entries.filter(({ type }) => type === 'charge');
  expect(new Set(charges.map(({ requestId }) => requestId)).size).toBe(calls);
  expect(charges).toHaveLength(calls);
  const findings: unknown[] = [];
  await (await services().auditor()).audit((finding) => findings.push(finding));
  expect(findings).toEqual([]);
  for (let minute = 0; minute < 2; minute++) {
    await service.post('/_local/clock', { advance: 'PT1M' });
    await service.settled();
  }
  const after = await store.find(id);
  expect([after?.lanes?.size, after?.spendable]).toEqual([0, (100 - calls) * 1e6]);
});
