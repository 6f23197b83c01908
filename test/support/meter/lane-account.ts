import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { planOfRank } from '#contract/billing/plans.ts';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { type LaneImage, balance, heldCredits, type LedgerEntry, type Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { laneImageOf } from '#repositories/meter/lane-item.ts';
import { lastOf } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { type Fault, faultyClient } from '../database/faulty-client.ts';
import { times } from '../many.ts';
import { attemptOn, credits, meterWith, putMeter, start } from './meters.ts';

/** The limits of a plan whose accounts have lanes. */
const large = { planRank: 5, maxConcurrentCalls: 1000, callsPerMonth: unlimited, ceiling: unlimited } as const;

export type LaneAccount = Awaited<ReturnType<typeof openLaneAccount>>;

/** An account of the largest plan, whose calls come from several processes. `seconds` passes only by `wait`. */
export async function openLaneAccount(
  url: string,
  granted: number,
  { fault, about = {} }: { fault?: (requestId: string) => Fault; about?: Partial<Meter> } = {},
) {
  const calm = faultyClient(url);
  const faulty = faultyClient(url, fault);
  const meter = await putMeter(calm.client, meterWith(granted, { ...large, ...about }));
  const { accountId } = meter;
  const [store, calmStore] = [faulty, calm].map(({ client }) => meterStore(client, tables.meters.name, ambient.random));
  if (!store || !calmStore) throw new Error('two clients have two stores');
  const plans = renewals(planOfRank);
  const processes = times(3, () => metering(store, plans, false, true));
  const keeper = metering(calmStore, plans, false, true);
  const clock = { ms: start };
  const delivered = new Set<LaneImage>();
  const images: LaneImage[] = [];
  const entries: LedgerEntry[] = [];
  let calls = 0;

  /** Takes the images that the stream would have, in the order of each item. */
  function collect(): void {
    for (const image of [...faulty.images.splice(0), ...calm.images.splice(0)]) {
      if (image['ac'] === accountId) images.push(laneImageOf(image));
      else if (image['a'] === accountId) entries.push(...lastOf(image).entries);
    }
  }

  const found = async (): Promise<Meter> => {
    const current = await calmStore.find(accountId);
    if (!current) throw new Error('the account is gone');
    return current;
  };
  const lanes = async () => keeper.lanesOf(await found());

  return {
    accountId,
    client: calm.client,
    clients: [calm.client, faulty.client],
    clock,
    processes,
    keeper,
    entries,
    images,
    found,
    lanes,
    collect,
    admit(process: number, about: Partial<Parameters<typeof attemptOn>[2]> = {}) {
      calls += 1;
      const attempt = attemptOn(meter, `${calls}`.padStart(19, 'call'), { now: clock.ms, isInLane: true, ...about });
      return processes[process % processes.length]!.admit({ ...attempt, deadline: Math.ceil(clock.ms / 1000) + 120 });
    },
    sweep: (by = keeper) => by.sweep(clock.ms, { shards: [accountId % meterShards] }),
    /** Delivers the images that are not delivered yet, and the last `again` of the others once more. */
    async deliver(again = 0, by = keeper): Promise<void> {
      collect();
      const fresh = images.filter((image) => !delivered.has(image));
      const batch = [...[...delivered].slice(Math.max(0, delivered.size - again)), ...fresh];
      if (batch.length > 0) await by.postCharges(batch, clock.ms);
      for (const image of fresh) delivered.add(image);
      collect();
    },
    /** Delivers the fresh images of the lanes as from this many shards, one after the other. */
    async deliverFrom(shards: number): Promise<void> {
      collect();
      const fresh = images.filter((image) => !delivered.has(image));
      const byShard = Map.groupBy(fresh, ({ lane }) => -lane % shards);
      for (const batch of byShard.values()) await keeper.postCharges(batch, clock.ms);
      for (const image of fresh) delivered.add(image);
      collect();
    },
    /** Opens lanes: holds many calls in the account's own item while the sweep passes. Returns their number. */
    async heat(running = 40, amount = credits(1)): Promise<number> {
      const holds = await Promise.all(times(running, () => this.admit(0, { isInLane: false, amount })));
      clock.ms += 61_000;
      await this.sweep();
      await Promise.all(holds.map((hold) => hold.settle(0, clock.ms)));
      for (const [index] of processes.entries()) await (await this.admit(index)).settle(0, clock.ms);
      await this.deliver();
      return (await found()).lanes?.size ?? 0;
    },
    /** Problems of the item and its lanes: each lease is free, held, or charged and not posted. */
    async problems(): Promise<string[]> {
      collect();
      const meterNow = await found();
      const all = await lanes();
      const wrong: string[] = [];
      for (const lane of all) {
        const lease = meterNow.lanes?.get(lane.id);
        const charged = new Map(
          images
            .filter((image) => image.lane === lane.id && image.seq > (lease?.posted ?? 0))
            .map((image) => [image.seq, image]),
        );
        const pending = charged.values().reduce((sum, { entry }) => sum - entry.amount, 0);
        const parts = lane.spendable + heldCredits({ holds: lane.holds }) + pending;
        if (lease?.amount !== parts) wrong.push(`a lease of ${lease?.amount} has parts of ${parts}`);
        if (lane.spendable < 0) wrong.push(`a lane has ${lane.spendable}`);
      }
      if (all.length !== (meterNow.lanes?.size ?? 0)) wrong.push('a lane is missing');
      if (meterNow.spendable < 0) wrong.push(`the account has ${meterNow.spendable}`);
      const sum = entries.reduce((total, { amount }) => total + amount, granted);
      if (sum !== balance(meterNow)) wrong.push(`the balance is ${balance(meterNow)}, the entries add up to ${sum}`);
      const running = [meterNow, ...all].reduce((total, { holds }) => total + holds.size, 0);
      if (running > meter.maxConcurrentCalls) wrong.push(`${running} calls run`);
      return wrong;
    },
    item: async () =>
      (
        await calm.client.send(
          new GetCommand({ TableName: tables.meters.name, Key: { a: accountId }, ConsistentRead: true }),
        )
      ).Item ?? {},
    close(): void {
      faulty.client.destroy();
      calm.client.destroy();
    },
  };
}
