import type { Refusal } from '#contract/shared/errors.ts';

/**
 * How the response of one call comes to its end. The middlewares set what it is and what settles the call; whoever sends it settles
 * the call before the response ends, and closes it after. Settling and closing happen once, however often they are called.
 */
export class ResponseLifecycle {
  /** HTTP status, once it is known. */
  status: number | undefined;
  /** Why the call failed or was refused: of a stream, also after its status. */
  refusal: Pick<Refusal, 'code' | 'detail'> | undefined;
  /** As they are sent. */
  headers: Readonly<Record<string, string>> = {};
  /** Microcredits that the call comes to. */
  cost = 0;
  /** Epoch ms at which the first piece of a stream left. */
  firstByteAt: number | undefined;
  readonly #now: () => number;
  readonly #onClose: () => void;
  #settlement: (() => Promise<void>) | undefined;
  #settled: Promise<void> | undefined;
  #isClosed = false;

  constructor(now: () => number, onClose: () => void) {
    this.#now = now;
    this.#onClose = onClose;
  }

  /** To be called before a piece of a stream leaves; only the first counts. */
  markFirstByte(): void {
    this.firstByteAt ??= this.#now();
  }

  /** How the call will be settled, in place of what was set before. Changes nothing once that has begun. */
  settleBy(settlement: () => Promise<void>): void {
    this.#settlement = settlement;
  }

  /** Settles the call, if anything is to be settled; resolves when that is done. */
  async settle(): Promise<void> {
    await (this.#settled ??= this.#settlement?.());
  }

  /** The response has ended, or could not be sent to its end. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}
