import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { Deadline } from './deadline.ts';
import type { AttemptLimits, Attempts, ModelGatewaySettings, Send } from './served-model.ts';

/**
 * Share of the remaining time that an endpoint has if another one follows. A whole reply is silent until it is
 * complete, so that its endpoint needs most of the time. The first output of a stream arrives early.
 */
const share = { whole: 2 / 3, stream: 1 / 3 } as const;

interface Attempt<Ready> {
  readonly place: ModelEndpoint;
  readonly position: number;
  /** Throws if the endpoint lacks an option of the request. */
  readonly ready: () => Ready;
}

type Observer = Pick<ModelGatewaySettings, 'failures' | 'onResponse' | 'onFailure'> & { readonly model: string };

/**
 * Tries each endpoint once until one responds. The caller's mistakes (400) and cancellations end the attempts. Throws
 * the error of the last attempt.
 */
export async function firstResponse<Ready, Result>(
  attempts: readonly Attempt<Ready>[],
  send: Send<Ready, Result>,
  { waitMs, kind, isOver }: AttemptLimits,
  { model, failures, onResponse, onFailure }: Observer,
): Promise<Result> {
  const end = performance.now() + waitMs;
  let failure: unknown;
  for (const [index, { place, position, ready }] of attempts.entries()) {
    const leftMs = end - performance.now();
    if (index > 0 && (leftMs <= 0 || isOver())) break;
    const request = attemptReady(ready);
    if (request === undefined) continue;
    try {
      const isLast = index === attempts.length - 1;
      const result = await send(request, Math.ceil(isLast ? leftMs : share[kind] * leftMs), place);
      failures.remove(place);
      onResponse?.(model, position);
      return result;
    } catch (error) {
      failure = error;
      if (isOver()) break;
      if (!isFault(error)) {
        onResponse?.(model, position);
        break;
      }
      failures.add(place);
      onFailure?.(model, position, error);
    }
  }
  throw failure;
}

/** Undefined if the endpoint lacks an option of the request. The first endpoint was checked before. */
function attemptReady<Ready>(ready: () => Ready): Ready | undefined {
  try {
    return ready();
  } catch {
    return undefined;
  }
}

const faults: ReadonlySet<string> = new Set(['MODEL_ERROR', 'MODEL_TIMEOUT', 'SERVICE_UNAVAILABLE']);

/** Whether the endpoint caused the error: throttled, failed, unreachable or silent. */
const isFault = (error: unknown): boolean => error instanceof ServiceError && faults.has(error.code);

interface StreamAttempts<Ready, Chunk> {
  readonly attempts: Pick<Attempts<unknown, Ready>, 'respond'>;
  /** Ends all attempts. */
  readonly deadline: Deadline;
  readonly settings: Pick<ModelGatewaySettings, 'failures' | 'streamDeadlineMs'>;
  /** Milliseconds until the first output. */
  readonly waitMs: number;
  readonly open: (ready: Ready, deadline: Deadline) => AsyncGenerator<Chunk>;
  readonly hasOutput: (chunk: Chunk) => boolean;
}

/** Streams from the first endpoint that sends output, without the chunks before it. Records later failures too. */
export async function* firstStream<Ready, Chunk>({
  attempts,
  deadline,
  settings,
  waitMs,
  open,
  hasOutput,
}: StreamAttempts<Ready, Chunk>): AsyncGenerator<Chunk> {
  deadline.start();
  const limits = { waitMs, kind: 'stream', isOver: () => deadline.isOver } as const;
  try {
    const { first, chunks, place } = await attempts.respond(limits, async (ready, firstMs, used) => {
      const own = new Deadline(settings.streamDeadlineMs, deadline.signal);
      const timer = setTimeout(own.end, firstMs);
      try {
        const chunks = open(ready, own);
        let first = await chunks.next();
        while (!first.done && !hasOutput(first.value)) first = await chunks.next();
        return { first, chunks, place: used };
      } finally {
        clearTimeout(timer);
      }
    });
    try {
      if (!first.done) yield first.value;
      yield* chunks;
    } catch (error) {
      if (isFault(error) && !deadline.isOver) settings.failures.add(place);
      throw error;
    } finally {
      await chunks.return(undefined);
    }
  } finally {
    deadline.clear();
  }
}
