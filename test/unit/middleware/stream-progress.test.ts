import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { trackStream } from '#middleware/meter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The open hold of a stream, its recorded progress, and the number of cancel notifications. */
function followed(recordProgress: (cost: number) => Promise<boolean>) {
  const noted: number[] = [];
  const onCancelled = vi.fn<() => void>();
  const unused = { held: 10, contentDays: undefined, prepare() {}, holding: () => ({}), receipt: () => ({}) };
  const openHold = {
    ...unused,
    isOpen: true,
    recordProgress(cost: number) {
      noted.push(cost);
      return recordProgress(cost);
    },
    settle: async () => undefined,
    settleWith: () => Promise.reject(new Error('there is nothing to settle it with')),
  };
  let cost = 0;
  trackStream({ cost: async () => (cost += 1) }, openHold, onCancelled);
  return { openHold, noted, onCancelled };
}

describe('a running stream', () => {
  it('records its progress every two seconds until it is settled', async () => {
    const { openHold, noted, onCancelled } = followed(async () => true);
    await vi.advanceTimersByTimeAsync(1999);
    expect(noted).toEqual([]);
    await vi.advanceTimersByTimeAsync(4001);
    expect(noted).toEqual([1, 2, 3]);
    openHold.isOpen = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(noted).toEqual([1, 2, 3]);
    expect(onCancelled).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('covers a failed record with the next one', async () => {
    const { noted, onCancelled } = followed(async (cost) => {
      if (cost === 1) throw new Error('throttled');
      return true;
    });
    await vi.advanceTimersByTimeAsync(4000);
    expect(noted).toEqual([1, 2]);
    expect(onCancelled).not.toHaveBeenCalled();
  });

  it('finishes one record before it writes the next', async () => {
    const { noted } = followed(() => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(noted).toEqual([1]);
  });

  it('is notified of its cancellation once', async () => {
    const { noted, onCancelled } = followed(async (cost) => cost < 2);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(noted).toEqual([1, 2]);
    expect(onCancelled).toHaveBeenCalledOnce();
  });

  it('is not notified of a cancellation after its settlement', async () => {
    const { openHold, onCancelled } = followed(async () => {
      openHold.isOpen = false;
      return false;
    });
    await vi.advanceTimersByTimeAsync(4000);
    expect(onCancelled).not.toHaveBeenCalled();
  });
});
