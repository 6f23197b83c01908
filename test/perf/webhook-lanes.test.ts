import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantCredits } from '#domain/meter/credits/billing.ts';
import { services } from '#runtime/services/container.ts';
import { patience, times } from '#test/many.ts';
import { credits } from '#test/meter/meters.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';
import { type Receiver, type Respond, startReceiver } from '#test/webhooks/receiver.ts';

const seconds = 60;
const maxSeconds = 2;

let service: TestService;
const receivers: Receiver[] = [];
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

const slowly: Respond = (response) => setTimeout(() => response.writeHead(200).end(), 14_000);

async function receiver(respond?: Respond): Promise<Receiver> {
  const started = await startReceiver(respond);
  receivers.push(started);
  return started;
}

async function webhook({ key }: Person, url: string): Promise<void> {
  const body = { url, events: ['credits.granted'] };
  expect((await service.call('POST', '/api/webhooks', { key, body })).status).toBe(201);
}

/** Writes an event of an account and returns its `seq`. */
async function happen({ id }: Person): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const grant = services()
    .metering()
    .change(id, Date.now(), (meter) => grantCredits(meter, credits(1), now));
  return (await grant).seq;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// Takes two minutes, and its seconds mean nothing on a machine that does much else.
test.runIf(process.env['LONG'])(
  'ten slow webhooks of each of ten accounts delay no delivery of another account by seconds',
  async () => {
    const slow = await receiver(slowly);
    const people = await Promise.all(times(10, () => service.person({ planRank: 4 })));
    const other = await service.person({ planRank: 4 });
    const quick = await receiver();
    await webhook(other, quick.url);
    // One webhook after the other gets its first event, so that each has a message of its own.
    for (let index = 0; index < 10; index++) {
      await Promise.all(people.map((person) => webhook(person, `${slow.url}/${index}`)));
      for (const person of people) {
        await happen(person);
        await pause(300);
      }
    }
    const written = new Map<number, number>();
    for (let round = 0; round < 2 * seconds; round++) {
      // The other event comes first, so that it is ahead in every queue.
      await happen(people[round % people.length]!);
      written.set(await happen(other), performance.now());
      await pause(500);
    }
    await expect.poll(() => quick.received.length, { timeout: 60_000, interval: 50 }).toBe(written.size);
    const delays = quick.received
      .map(({ at, body }) => (at - written.get(JSON.parse(body).data.seq)!) / 1000)
      .toSorted((one, two) => one - two);
    console.log(
      `beside 100 slow webhooks: median ${delays[delays.length >> 1]?.toFixed(2)} s, longest ${delays.at(-1)?.toFixed(2)} s; ${slow.received.length} slow requests`,
    );
    expect(slow.received.length).toBeGreaterThan(100);
    expect(delays[delays.length >> 1]).toBeLessThan(maxSeconds / 2);
    expect(delays.at(-1)).toBeLessThan(maxSeconds);
  },
  patience,
);
