import type { StatementStore } from '../billing/statements.ts';
import type { Metering } from '../meter/metering.ts';
import { ServiceError } from '../shared/service-error.ts';

const maxEntries = 1000;

export function cancellationService(
  metering: Pick<Metering, 'cancelStream' | 'find' | 'lanesOf'>,
  statements: Pick<StatementStore, 'pageWhenWritten'>,
) {
  /** Cancels a stream at its next chunk. Throws 404 for an unknown request. */
  async function cancel(accountId: number, requestId: string) {
    if (await metering.cancelStream({ accountId, requestId })) return { requestId, status: 'cancelled' as const };
    const meter = await metering.find(accountId);
    const lanes = meter ? await metering.lanesOf(meter) : [];
    const isRunning = [meter, ...lanes].some((item) => item?.holds.has(requestId));
    if (isRunning) throw new ServiceError('INVALID_STATE', 'Only a streamed call can be cancelled.');
    const seq = meter?.seq ?? 0;
    const { rows } = await statements.pageWhenWritten(accountId, maxEntries, seq + 1);
    if (rows.some((row) => row.requestId === requestId)) return { requestId, status: 'finished' as const };
    const isPosted = lanes.every((lane) => meter?.lanes?.get(lane.id)?.posted === lane.seq);
    if ((rows[0]?.seq ?? 0) < seq || !isPosted) throw ledgerNotCurrent();
    throw new ServiceError('NOT_FOUND', 'There is no such request among the latest of this account.');
  }

  return { cancel };
}

/** The ledger lags behind the meter, so the request may just have ended. */
function ledgerNotCurrent(): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', 'The credit history is not up to date yet. Try again.', {
    retryAfterSeconds: 1,
  });
}
