import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { planOfRank } from '#contract/billing/plans.ts';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { type grantCredits, renewals } from '#domain/billing/grants.ts';
import { mayLease } from '#domain/meter/lanes.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { heldCredits, type LedgerEntry, type Meter } from '#domain/meter/meter.ts';
import { metering, type OpenHold } from '#domain/meter/metering.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { type Fault, inTurn, randomFaults } from '../database/faulty-client.ts';
import { outcomeOf } from '../many.ts';
import { openLaneAccount } from './lane-account.ts';
import { attemptOn, credits, meterWith, putMeter, start } from './meters.ts';

const daySeconds = 86_400;

/** `skews`: seconds by which the clocks of three processes are ahead. `isCalm`: no lane is open when a lot expires. */
interface TwinsAbout {
  readonly isCalm: boolean;
  readonly skews: readonly number[];
  readonly faultPercent: number;
  readonly drawn: number;
}

interface Call {
  readonly requestId: string;
  readonly amount: number;
  readonly now: number;
  readonly keyId: string;
  hold?: OpenHold;
  /** The charge must be one of these costs. */
  readonly costs: Set<number>;
  /** Hold of the same call in the account without lanes. */
  twin?: OpenHold;
  isEnded: boolean;
}

/** Three lots, of which the first expires tomorrow. */
function lotsOf(first: number, second: number, third: number): Pick<Meter, 'lots' | 'lotsGranted' | 'due'> {
  const seconds = start / 1000;
  const lots = [first, second, third].map((granted, index) => ({
    id: index + 1,
    source: index === 0 ? ('purchase' as const) : ('plan' as const),
    granted,
    remaining: granted,
    expiresAt: seconds + [1, 40, 90][index]! * daySeconds,
  }));
  return { lots, lotsGranted: 3, due: seconds + daySeconds };
}

/** An account with lanes, and its twin without them, which makes the same calls and the same changes at the same times. */
export async function openLaneTwins(url: string, { isCalm, skews, faultPercent, drawn }: TwinsAbout) {
  const death: { left: number; last: Fault } = { left: Infinity, last: 'throttle' };
  const recoverable = inTurn(randomFaults(faultPercent, drawn));
  const fault = (requestId: string): Fault => {
    if (death.left <= 0) return 'throttle';
    death.left -= 1;
    return death.left === 0 ? death.last : recoverable(requestId);
  };
  const granted = [credits(600), credits(3000), credits(6400)] as const;
  const lots = lotsOf(...granted);
  const account = await openLaneAccount(url, credits(10_000), { fault, about: lots });
  const { accountId } = meterWith(0);
  await putMeter(account.client, { ...(await account.found()), accountId });
  const store = meterStore(account.client, tables.meters.name, ambient.random);
  const twin = metering(store, renewals(planOfRank));
  const closer = metering(store, renewals(planOfRank));
  const calls = new Map<string, Call>();
  const { clock } = account;
  const isSkewed = skews.some((skew) => skew !== 0);
  /** Credits leased when lots expired, which calls in lanes may still spend. Undefined if they depend on a clock. */
  let spentLate: number | undefined = 0;
  let images = 0;
  let entries = 0;

  async function admitTwin(call: Call): Promise<void> {
    const attempt = attemptOn({ accountId } as Meter, call.requestId, call);
    try {
      call.twin = await twin.admit({ ...attempt, deadline: 9_000_000_000, isStream: true });
    } catch (error) {
      // A process that crashed before it removed a refused hold.
      if (call.hold) throw error;
    }
  }

  async function endTwin({ requestId = '', amount, at }: LedgerEntry): Promise<void> {
    const call = calls.get(requestId);
    if (!call || call.isEnded) return;
    call.isEnded = true;
    if (!call.twin) await admitTwin(call);
    await call.twin?.settle(-amount, at * 1000);
  }

  /** Repeats the calls admitted and settled since the last step with the twin. Earlier calls end first. */
  async function follow(): Promise<void> {
    account.collect();
    const [meter, lanes] = [await account.found(), await account.lanes()];
    const own = account.entries.slice(entries).filter(({ type }) => type === 'charge');
    const ended = [...account.images.slice(images).map(({ entry }) => entry), ...own];
    [images, entries] = [account.images.length, account.entries.length];
    for (const entry of ended) if (calls.get(entry.requestId ?? '')?.twin) await endTwin(entry);
    for (const entry of ended) await endTwin(entry);
    for (const requestId of [meter, ...lanes].flatMap(({ holds }) => [...holds.keys()])) {
      const call = calls.get(requestId);
      if (call && !call.twin) await admitTwin(call);
    }
    if (meter.due * 1000 > clock.ms) await twin.current(accountId, clock.ms);
  }

  const both = async (apply: (meter: Meter) => ReturnType<typeof grantCredits>, now = clock.ms): Promise<void> => {
    await account.keeper.change(account.accountId, now, apply);
    await twin.change(accountId, now, apply);
  };

  /** Whether a lot expires in this time, by any of the clocks. */
  const expiresWithin = async (seconds: number): Promise<boolean> => {
    const lots = currentLots(await account.found());
    return lots.some(({ expiresAt }) => expiresAt * 1000 <= clock.ms + 1000 * (seconds + 300));
  };

  return {
    account,
    isCalm,
    calls,
    death,
    skews,
    both,
    follow,
    closer,
    twinNow: () => twin.current(accountId, clock.ms),
    get spentLate() {
      return spentLate;
    },
    async admit(process: number, amount: number, about: { isStream?: boolean; isInLane?: boolean }): Promise<void> {
      const now = clock.ms + 1000 * (skews[process % 3] ?? 0);
      const call: Call = {
        requestId: `${calls.size}`.padStart(19, 'c'),
        amount,
        now,
        keyId: 'key-1',
        costs: new Set([0]),
        isEnded: false,
      };
      calls.set(call.requestId, call);
      const { requestId } = call;
      call.hold = await account.admit(process, { requestId, amount, now, keyId: 'key-1', ...about });
      call.hold.prepare();
    },
    running: () => [...calls.values()].filter(({ hold }) => hold?.isOpen),
    async sweep(skew: number, by = account.keeper): Promise<void> {
      await outcomeOf(by.sweep(clock.ms + 1000 * skew, { shards: [account.accountId % meterShards] }));
    },
    expiresWithin,
    async pass(seconds: number): Promise<void> {
      const leased = heldCredits({ holds: new Map(), lanes: (await account.found()).lanes ?? new Map() });
      if (await expiresWithin(seconds))
        spentLate = isSkewed || spentLate === undefined ? undefined : spentLate + leased;
      clock.ms += 1000 * seconds;
    },
    /** Applies the same change to both items, such as a change of keys or of the status. */
    async write(expression: string, values: Record<string, unknown> = {}): Promise<void> {
      for (const a of [account.accountId, accountId])
        await account.client.send(
          new UpdateCommand({
            TableName: tables.meters.name,
            Key: { a },
            UpdateExpression: expression,
            ExpressionAttributeNames: { '#last': 'last' },
            ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
          }),
        );
    },
    async open(count: number): Promise<void> {
      const meter = await account.keeper.current(account.accountId, clock.ms);
      const at = Math.floor(clock.ms / 1000);
      const until = Math.min(at + 180, ...currentLots(meter).map(({ expiresAt }) => expiresAt));
      const lanes = { count, amount: credits(20), until, at: at + 30 };
      if (mayLease(meter) && (meter.lanes?.size ?? 0) < 6) await store.openLanes(meter, lanes);
    },
  };
}

/** The properties of an item that its owner can observe. */
export const viewOf = (meter: Meter) => ({
  spendable: meter.spendable,
  lots: currentLots(meter),
  used: Object.entries(meter.used).filter(([, amount]) => amount > 0),
  calls: meter.callsThisMonth,
  cap: meter.cap,
  plan: [meter.planRank, meter.maxConcurrentCalls, meter.freeMonth, meter.period.index, meter.closed],
  budgets: [...meter.budgets],
  running: [meter.holds.size, meter.lanes?.size ?? 0],
});
