import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type LedgerEntry, type Meter } from './meter.ts';
import { maxRaces, type MeterChanged, type Metering } from './metering.ts';
import { type BudgetRefund, type KeptCharge, type Refund, refund, budgetBack } from './refund.ts';

/** A refund to write, together with what it is for. */
export interface RefundWrite {
  readonly before: Meter;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
  readonly budget: BudgetRefund | undefined;
}

/** `changed`: the refunded item changed first; nothing was written. */
export type WrittenRefund = 'done' | 'changed' | MeterChanged;

/** Refunds, each in one write with the end of what was charged. */
export function refunds(metering: Pick<Metering, 'change'>, clock: Clock) {
  /** `no account`: it is deleted, and what it had is or will be. */
  return async function giveBack(
    accountId: number,
    charge: KeptCharge,
    back: Refund,
    write: (write: RefundWrite) => Promise<WrittenRefund>,
  ): Promise<'done' | 'changed' | 'no account'> {
    const now = clock.now();
    let written: WrittenRefund | undefined;
    try {
      await metering.change(
        accountId,
        now,
        (meter) => refund(meter, charge, back, Math.floor(now / 1000)),
        async (before, after, entries) => {
          written = await write({ before, after, entries, budget: budgetBack(before, charge, back.amount) });
          return written !== 'meter changed';
        },
        maxRaces,
      );
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') return 'no account';
      throw error;
    }
    return written === 'done' ? 'done' : 'changed';
  };
}
