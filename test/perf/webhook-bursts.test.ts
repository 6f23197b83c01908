import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantCredits } from '#domain/meter/credits/billing.ts';
import { services } from '#runtime/services/container.ts';
import { atLength, patience } from '#test/many.ts';
import { credits } from '#test/meter/meters.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';
import { hang, type Receiver, respondWith, startReceiver } from '#test/webhooks/receiver.ts';

const count = atLength(100, 1000);
/** The machine of a whole run does much else at the same time. */
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

async function webhook({ key }: Person, ...responding: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...responding);
  receivers.push(receiver);
  const body = { url: receiver.url, events: ['credits.granted'] };
  expect((await service.call('POST', '/api/webhooks', { key, body })).status).toBe(201);
  return receiver;
}

/** Makes so many events, one write each, and gives when each was written, by its `seq`. */
async function happen(person: Person, count: number): Promise<ReadonlyMap<number, number>> {
  const written = new Map<number, number>();
  for (let event = 0; event < count; event++) {
    const now = Math.floor(Date.now() / 1000);
    const { seq } = await services()
      .metering()
      .change(person.id, Date.now(), (meter) => grantCredits(meter, credits(1), now));
    written.set(seq, performance.now());
  }
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
  `of ${count} events to ten webhooks of which three are dead, the other seven have all within seconds`,
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
    // Ten at most were under way when it was first known that they fail; then one at a time.
    for (const receiver of dead) expect(receiver.received.length).toBeLessThan(30);
  },
  patience,
);

test(
  'an event of another account leaves within seconds while hundreds are due to webhooks that hang',
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
