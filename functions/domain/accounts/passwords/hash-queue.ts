import { ServiceError } from '../../shared/service-error.ts';

/**
 * Maximum concurrent hashes in a process: each one at N=2^17 uses 128 MiB and a core
 * (docs/design/accounts.md#passwords).
 */
const maxConcurrent = 2;

/** Maximum wait in ms, well below the request timeout of 28 s. */
const maxWaitMs = 15_000;

const retryAfterSeconds = 5;

/** Runs hashes in request order, at most `concurrency` at a time. */
export function hashQueue(concurrency = maxConcurrent) {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Throws 503 without running `hash` if it cannot start within `waitMs`. */
  async function run<Hash>(hash: () => Promise<Hash>, waitMs = maxWaitMs): Promise<Hash> {
    if (running >= concurrency) await place(waitMs);
    else running += 1;
    try {
      return await hash();
    } finally {
      passOn();
    }
  }

  /** Resolves when a finished hash hands over its place. */
  function place(waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(start);
      reject(busy());
    }, waitMs);
    waiting.add(start);
    return promise;
  }

  function passOn(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return { run };
}

function busy(): ServiceError {
  const detail = 'The service is busy checking passwords. Try again.';
  return new ServiceError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds });
}
