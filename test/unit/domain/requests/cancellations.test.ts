import { describe, expect, it } from 'vitest';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { cancellationService } from '#domain/requests/cancellations.ts';
import { meterWith } from '#test/meter/meters.ts';

const hold = { amount: 1, deadline: 0, service: 'chat', model: 'svc-1', keyId: 'key-1' } as const;

function row(seq: number, requestId: string): LedgerRow {
  return { accountId: 1, seq, balance: 0, type: 'charge', at: 0, amount: -1, requestId };
}

/** Cancels the request `one` of an account with this meter and the newest rows of its ledger. */
function cancel(meter: Meter | undefined, rows: LedgerRow[], isStreamed = false) {
  const reads: number[][] = [];
  const service = cancellationService(
    { cancelStream: async () => isStreamed, find: async () => meter, lanesOf: async () => [] },
    {
      pageWhenWritten: async (_, limit, before) => {
        reads.push([limit, before]);
        return { rows, newest: rows[0]?.seq ?? 0, next: null };
      },
    },
  );
  return { reads, cancelled: service.cancel(1, 'one') };
}

describe('the cancellation of a request', () => {
  it('ends an open stream without a read of the ledger', async () => {
    const { cancelled, reads } = cancel(meterWith(1), [], true);
    expect(await cancelled).toEqual({ requestId: 'one', status: 'cancelled' });
    expect(reads).toEqual([]);
  });

  it('returns INVALID_STATE for an open call that is not streamed', async () => {
    const { cancelled } = cancel(meterWith(1, { holds: new Map([['one', hold]]) }), []);
    await expect(cancelled).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'Only a streamed call can be cancelled.',
    });
  });

  it('returns `finished` for a charged call among the latest 1,000 rows, up to the latest row of the meter', async () => {
    const { cancelled, reads } = cancel(meterWith(1, { seq: 7 }), [row(7, 'other'), row(6, 'one')]);
    expect(await cancelled).toEqual({ requestId: 'one', status: 'finished' });
    expect(reads).toEqual([[1000, 8]]);
  });

  it('returns a retryable error if the ledger lags behind the meter', async () => {
    for (const rows of [[row(6, 'other')], []]) {
      await expect(cancel(meterWith(1, { seq: 7 }), rows).cancelled).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        retryAfterSeconds: 1,
      });
    }
  });

  it('returns NOT_FOUND if the current ledger does not contain the request, or the account does not exist', async () => {
    const unknown = [cancel(meterWith(1, { seq: 7 }), [row(7, 'other')]), cancel(undefined, [])];
    for (const { cancelled } of unknown) await expect(cancelled).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
