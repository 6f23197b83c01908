import type { Metering } from '../meter/metering.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { StatementStore } from './statements.ts';

/** Entries of the ledger, the newest, among which a request that has ended is looked for. */
const maxEntries = 1000;

/** Stops calls that run (docs/adr/0013-cancelled-streams.md). */
export function cancellationService(
  metering: Pick<Metering, 'cancelStream' | 'find'>,
  statements: Pick<StatementStore, 'pageWhenWritten'>,
) {
  /** Stops a stream at its next piece; refuses (404) what is not, or no longer known as, a request of the account. */
  async function cancel(accountId: number, requestId: string) {
    if (await metering.cancelStream({ accountId, requestId })) return { requestId, status: 'cancelled' as const };
    const meter = await metering.find(accountId);
    if (meter?.holds.has(requestId)) throw new ServiceError('INVALID_STATE', 'Only a streamed call can be cancelled.');
    const seq = meter?.seq ?? 0;
    const { rows } = await statements.pageWhenWritten(accountId, maxEntries, seq + 1);
    if (rows.some((row) => row.requestId === requestId)) return { requestId, status: 'finished' as const };
    if ((rows[0]?.seq ?? 0) < seq) throw tooEarly();
    throw new ServiceError('NOT_FOUND', 'There is no such request among the latest of this account.');
  }

  return { cancel };
}

/** The ledger lags behind the meter: the request may have ended just now. */
function tooEarly(): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', 'The credit history is not up to date yet. Try again.', {
    retryAfterSeconds: 1,
  });
}
