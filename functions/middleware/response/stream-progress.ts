import type { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import type { Charge } from '#domain/meter/metering.ts';

/** Milliseconds between two notes of what a stream has come to; one that ends sooner is noted nowhere (docs/adr/0012-lost-settlements.md). */
const noteEveryMs = 2000;

/**
 * While a stream runs, notes in its hold what it has come to. A note that fails is made good by the next; one that finds the
 * stream cancelled is the last.
 */
export function followStream(stream: Pick<StreamedResponse, 'cost'>, charge: Charge, onCancelled: () => void): void {
  let isNoting = false;

  async function note(): Promise<void> {
    const cost = await stream.cost();
    if (!charge.isOpen || (await charge.noteDelivered(cost)) || !charge.isOpen) return;
    clearInterval(timer);
    onCancelled();
  }

  const timer = setInterval(() => {
    if (!charge.isOpen) return clearInterval(timer);
    if (isNoting) return;
    isNoting = true;
    note()
      .catch(() => undefined)
      .finally(() => {
        isNoting = false;
      });
  }, noteEveryMs);
  timer.unref();
}
