import type { Metering } from '../../meter/metering.ts';
import { refunds } from '../../meter/refunds.ts';
import type { Clock } from '../../shared/ports.ts';
import { throwTogether, visitEach } from '../../shared/visit-each.ts';
import type { IndexingEnd, OpenIndexing } from './document.ts';
import type { DocumentStore } from './vector-index.ts';

export type IndexingEnds = ReturnType<typeof indexingEnds>;

export interface IndexingEndParts {
  readonly documents: Pick<DocumentStore, 'end' | 'findOpen' | 'overdue'>;
  readonly metering: Pick<Metering, 'change'>;
  readonly clock: Clock;
}

/** Indexings that the sweep ends concurrently. */
const endsAtATime = 10;

/** Ends each indexing exactly once: the document's status and the refund are one write. */
export function indexingEnds({ documents, metering, clock }: IndexingEndParts) {
  const giveBack = refunds(metering, clock);

  /**
   * Charges `cost` microcredits, at most the reserved amount, and refunds the rest. Returns false if the indexing had
   * already ended.
   */
  async function end(open: OpenIndexing, status: IndexingEnd, cost = 0): Promise<boolean> {
    const { accountId, charge } = open;
    const charged = Math.min(cost, charge.amount);
    const ending = { status, cost: charged, now: clock.now() };
    const amount = charge.amount - charged;
    const outcome =
      amount === 0
        ? await documents.end(open, ending, undefined)
        : await giveBack(accountId, charge, { amount }, (refund) => documents.end(open, ending, refund));
    if (outcome === 'done') return true;
    if (outcome === 'no account') await documents.end(open, { ...ending, status: 'gone' }, undefined);
    // The document was deleted, but its charge must still be settled.
    else if (status !== 'gone' && (await documents.findOpen(open.id))) await end(open, 'gone', cost);
    return false;
  }

  /**
   * Fails the indexings past their deadline and returns their number. An error does not delay the others, but fails the
   * run. Once `signal` aborts, the next run continues.
   */
  async function sweep(signal?: AbortSignal): Promise<number> {
    let ended = 0;
    const fail = async (open: OpenIndexing): Promise<void> => {
      await end(open, 'failed');
      ended += 1;
    };
    const { failures } = await visitEach(documents.overdue(clock.now()), fail, { concurrency: endsAtATime, signal });
    throwTogether(failures, 'documents could not be ended');
    return ended;
  }

  return { end, sweep };
}
