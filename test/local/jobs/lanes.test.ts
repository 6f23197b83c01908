import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { setInRow } from '#test/database/rows.ts';
import { chat, useTestService } from '#test/service/service.ts';

const service = useTestService();

/** A person with three lanes of this many microcredits. */
async function personWithLanes(amount: number, about: Parameters<typeof service.person>[0] = {}) {
  const person = await service.person(about);
  const { id, key } = person;
  for (const [name, value] of Object.entries({ q: 1000, ml: unlimited, n: 0, m: unlimited, b: {} }))
    await setInRow('meters', { a: id }, name, value);
  const store = meterStore(dynamoClient(), tables.meters.name, ambient.random);
  const seconds = Math.floor(services().clock.now() / 1000);
  const meter = await store.find(id);
  if (!meter) throw new Error('the account is gone');
  expect(await store.openLanes(meter, { count: 3, amount, until: seconds + 180, at: seconds + 1 })).toBe(true);
  const call = async () =>
    expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(200);
  return { ...person, store, call };
}

test('the ledger lists the calls of lanes, each once, and the audit finds no difference', async () => {
  const { id, key, store, call } = await personWithLanes(20e6);
  const calls = 9;
  for (let made = 0; made < calls; made++) await call();
  await service.settled();
  await service.settled();
  const { Item = {} } = await dynamoClient().send(
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

test('a document of an agent is charged in the item of an account with lanes', async () => {
  const person = await personWithLanes(20e6, { planRank: 4 });
  await person.call();
  const owner = await agentOwner(service, {}, person);
  const added = await owner.call('POST', `${owner.path}/documents`, { name: 'Handbook', text: 'Bicycles are free.' });
  expect([added.status, added.body.detail]).toEqual([201, undefined]);
});

test('a spending cap does not count leased credits as used, and can be spent immediately', async () => {
  const { cookie, call } = await personWithLanes(20e6);
  await call();
  await service.settled();
  const limits = async () => (await service.call('GET', '/api/limits', { cookie })).body.data;
  expect(await limits()).toMatchObject({ used: 1 });
  const set = await service.call('PUT', '/api/limits', { cookie, body: { monthlyCredits: 3 } });
  expect(set.body.data).toMatchObject({ monthlyCredits: 3, used: 1 });
  await call();
  await call();
  await service.settled();
  expect(await limits()).toMatchObject({ used: 3 });
});
