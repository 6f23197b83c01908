import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type LedgerEntry, type Meter } from './meter.ts';
import { maxRaces, type MeterChanged, type Metering } from './metering.ts';
import { type BudgetRefund, type RefundableCharge, type Refund, refund, budgetBack } from './refund.ts';

export interface RefundWrite {
  readonly before: Meter;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
  readonly budget: BudgetRefund | undefined;
}

/** `changed`: the refunded item changed first; nothing was written. */
export type WrittenRefund = 'done' | 'changed' | MeterChanged;

export function refunds(metering: Pick<Metering, 'change'>, clock: Clock) {
  return async function refundCharge(
    accountId: number,
    charge: RefundableCharge,
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
