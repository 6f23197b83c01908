import type { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import type { OpenHold } from '#domain/meter/metering.ts';

/** Milliseconds between two notes of what a stream has come to; one that ends sooner is noted nowhere (docs/adr/0012-lost-settlements.md). */
const noteEveryMs = 2000;

/**
 * While a stream runs, notes in its hold what it has come to. A note that fails is made good by the next; one that finds the
 * stream cancelled is the last.
 */
export function followStream(
  stream: Pick<StreamedResponse, 'cost'>,
  openHold: OpenHold,
  onCancelled: () => void,
): void {
  let isNoting = false;

  async function note(): Promise<void> {
    const cost = await stream.cost();
    if (!openHold.isOpen || (await openHold.noteDelivered(cost)) || !openHold.isOpen) return;
    clearInterval(timer);
    onCancelled();
  }

  const timer = setInterval(() => {
    if (!openHold.isOpen) return clearInterval(timer);
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
