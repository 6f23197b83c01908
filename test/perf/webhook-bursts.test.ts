import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantCredits } from '#domain/billing/grants.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { services } from '#runtime/services/container.ts';
import { atLength, patience, times } from '#test/many.ts';
import { credits } from '#test/meter/meters.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';
import { hang, type Receiver, type Respond, respondWith, startReceiver } from '#test/webhooks/receiver.ts';

const count = atLength(100, 1000);
/** A run of all tests shares the machine. */
const medianSeconds = atLength(5, 2);

let service: TestService;
const receivers: Receiver[] = [];
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function receiverWith(...responding: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...responding);
  receivers.push(receiver);
  return receiver;
}

async function createWebhook({ key }: Person, url: string): Promise<void> {
  const body = { url, events: ['credits.granted'] };
  expect((await service.call('POST', '/api/webhooks', { key, body })).status).toBe(201);
}

async function webhook(person: Person, ...responding: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await receiverWith(...responding);
  await createWebhook(person, receiver.url);
  return receiver;
}

/** Writes one event of an account and returns its `seq`. */
async function happenOnce({ id }: Person): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const change = (meter: Meter) => grantCredits(meter, credits(1), now);
  return (await services().metering().change(id, Date.now(), change)).seq;
}

/** Writes events one after the other. Returns the time of each write by its `seq`. */
async function happen(person: Person, count: number): Promise<ReadonlyMap<number, number>> {
  const written = new Map<number, number>();
  for (let event = 0; event < count; event++) written.set(await happenOnce(person), performance.now());
  return written;
}

/** Seconds from the write of an event to its arrival, from the shortest to the longest. */
function delays(receiver: Receiver, written: ReadonlyMap<number, number>): number[] {
  const all = receiver.received.map(({ at, body }) => (at - written.get(JSON.parse(body).data.seq)!) / 1000);
  return all.toSorted((one, other) => one - other);
}

const all = async (receiver: Receiver, count: number, timeout: number) => {
  await expect.poll(() => receiver.received.length, { timeout, interval: 50 }).toBe(count);
};
const report = (what: string, list: readonly number[]) =>
  console.log(`${what}: median ${list[list.length >> 1]?.toFixed(2)} s, longest ${list.at(-1)?.toFixed(2)} s`);

test(
  `${count} events reach seven working webhooks within seconds despite three failing ones`,
  async () => {
    const person = await service.person({ planRank: 4 });
    const dead = [await webhook(person, hang), await webhook(person, respondWith(500)), await webhook(person)];
    await dead[2]!.close();
    receivers.splice(receivers.indexOf(dead[2]!), 1);
    const live: Receiver[] = [];
    for (let count = 0; count < 7; count++) live.push(await webhook(person));
    const written = await happen(person, count);
    await Promise.all(live.map((receiver) => all(receiver, count, 90_000)));
    for (const [index, receiver] of live.entries()) report(`webhook ${index + 1} of seven`, delays(receiver, written));
    for (const receiver of live) {
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
      expect(delays(receiver, written)[count / 2]).toBeLessThan(medianSeconds);
      expect(delays(receiver, written).at(-1)).toBeLessThan(10);
    }
    // At most ten requests were running when the failures became known, then one at a time.
    for (const receiver of dead) expect(receiver.received.length).toBeLessThan(30);
  },
  patience,
);

test(
  'an event of another account is delivered within seconds while hundreds wait for hanging webhooks',
  async () => {
    const busy = await service.person({ planRank: 4 });
    for (let count = 0; count < 5; count++) await webhook(busy, hang);
    await happen(busy, 100);
    const person = await service.person({ planRank: 4 });
    const receiver = await webhook(person);
    const written = await happen(person, 20);
    await all(receiver, 20, 20_000);
    const list = delays(receiver, written);
    report('beside 500 that are due', list);
    expect(list[10]).toBeLessThan(medianSeconds);
    expect(list.at(-1)).toBeLessThan(10);
  },
  patience,
);

const slowly: Respond = (response) => setTimeout(() => response.writeHead(200).end(), 14_000);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// Takes two minutes, and its times are meaningful only on an idle machine.
test.runIf(process.env['LONG'])(
  "a hundred slow webhooks of ten accounts delay another account's deliveries by less than 2 s",
  { timeout: patience },
  async () => {
    const slow = await receiverWith(slowly);
    const people = await Promise.all(times(10, () => service.person({ planRank: 4 })));
    const other = await service.person({ planRank: 4 });
    const quick = await receiverWith();
    await createWebhook(other, quick.url);
    // The webhooks get their first events one after the other, so that each has its own message.
    for (let index = 0; index < 10; index++) {
      await Promise.all(people.map((person) => createWebhook(person, `${slow.url}/${index}`)));
      for (const person of people) {
        await happenOnce(person);
        await pause(300);
      }
    }
    const written = new Map<number, number>();
    for (let round = 0; round < 120; round++) {
      // The busy account's event comes first, so that it is ahead in every queue.
      await happenOnce(people[round % people.length]!);
      written.set(await happenOnce(other), performance.now());
      await pause(500);
    }
    await expect.poll(() => quick.received.length, { timeout: 60_000, interval: 50 }).toBe(written.size);
    const list = delays(quick, written);
    report(`beside 100 slow webhooks with ${slow.received.length} requests`, list);
    expect(slow.received.length).toBeGreaterThan(100);
    expect(list[list.length >> 1]).toBeLessThan(1);
    expect(list.at(-1)).toBeLessThan(2);
  },
);
