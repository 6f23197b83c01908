import { microPerCredit } from '#contract/billing/prices.ts';
import { dayOf, isoOfSeconds } from '#contract/shared/time.ts';
import { withCallsOf } from '../meter/lanes.ts';
import { startOfPeriod, capEnd, forecastOf, withCap } from '../meter/limits.ts';
import { heldCredits, type Meter, usedCredits } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { counted } from '../meter/periods.ts';
import type { Clock } from '../shared/ports.ts';
import { type StatementStore, utcDays } from './statements.ts';

interface LimitParts {
  readonly metering: () => Pick<Metering, 'current' | 'change' | 'lanesOf' | 'visitLanes'>;
  readonly statements: () => Promise<Pick<StatementStore, 'usage' | 'page' | 'pageWhenWritten'>>;
  readonly clock: Clock;
}

const rowsPerRead = 100;

/** The spending cap of an account (docs/credits.md#spending-cap). */
export function spendingLimits({ metering, statements, clock }: LimitParts) {
  async function get(accountId: number) {
    const now = clock.now();
    const meter = await metering().current(accountId, now);
    if (meter.cap) return view(meter, meter.cap.used, now);
    const { holds } = withCallsOf(await metering().lanesOf(meter), meter);
    return view(meter, (await chargedIn(accountId, now)).charged + heldCredits({ holds }), now);
  }

  async function set(accountId: number, monthlyCredits: number | null) {
    const now = clock.now();
    const start = startOfPeriod('month', Math.floor(now / 1000));
    let charged: number | undefined;
    let used = 0;
    const apply = async (before: Meter) => {
      charged ??= before.cap ? 0 : await chargedBefore(before, now);
      used = before.cap?.used ?? charged + spentOf(before);
      const cap = monthlyCredits === null ? undefined : { limit: monthlyCredits * microPerCredit, start, used };
      return counted(before, { meter: withCap(before, cap), entries: [] }, Math.floor(now / 1000));
    };
    const meter = await metering().change(accountId, now, apply);
    if (!meter.cap || !meter.lanes?.size) return view(meter, used, now);
    // Leased credits count as used until they return.
    await metering().visitLanes(meter, now);
    const after = await metering().current(accountId, now);
    return view(after, after.cap?.used ?? used, now);
  }

  /**
   * Credits charged this month, less those of the meter's counters, which the meter of a later attempt adds again. So
   * the count is complete even while calls run.
   */
  async function chargedBefore(meter: Meter, now: number): Promise<number> {
    await (await statements()).pageWhenWritten(meter.accountId, 1, meter.seq + 1);
    const month = await chargedIn(meter.accountId, now);
    return (
      month.charged - (await chargedAfter(meter, month)) - spentOf({ ...meter, holds: new Map(), lanes: new Map() })
    );
  }

  /** Charges of the calendar month in microcredits, without refunds, up to the ledger row `newest`. */
  async function chargedIn(accountId: number, now: number) {
    const store = await statements();
    const to = dayOf(now);
    const from = `${to.slice(0, -2)}01`;
    let charged = 0;
    let newest: number;
    let after: string | undefined;
    do {
      const page = await store.usage(accountId, { from, to, group: 'service', after, spans: utcDays });
      for (const { cost } of page.rows) charged += cost;
      ({ next: after, newest } = page);
    } while (after !== undefined);
    return { charged, newest, from, to };
  }

  /** The part of the month's charges that was made after the meter was read. */
  async function chargedAfter({ accountId, seq }: Meter, { newest, from, to }: ChargedMonth): Promise<number> {
    const store = await statements();
    let charged = 0;
    let before: number | null = newest + 1;
    while (before !== null && before > seq + 1) {
      const page = await store.page(accountId, Math.min(rowsPerRead, before - seq - 1), before);
      for (const row of page.rows) {
        const day = dayOf(row.at * 1000);
        if (row.type === 'charge' && row.seq > seq && day >= from && day <= to) charged -= row.amount;
      }
      before = page.next;
    }
    return charged;
  }

  return { get, set };
}

interface ChargedMonth {
  readonly newest: number;
  readonly from: string;
  readonly to: string;
}

/** Charges of the billing month, and open holds. */
const spentOf = (meter: Pick<Meter, 'used' | 'holds' | 'lanes'>): number => usedCredits(meter) + heldCredits(meter);

function view({ cap }: Meter, used: number, nowMs: number) {
  const now = Math.floor(nowMs / 1000);
  return {
    monthlyCredits: cap ? cap.limit / microPerCredit : null,
    used: used / microPerCredit,
    resetsAt: isoOfSeconds(capEnd(cap ?? { start: startOfPeriod('month', now) })),
    forecast: forecastOf(used, now) / microPerCredit,
  };
}
