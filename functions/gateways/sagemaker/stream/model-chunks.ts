import * as v from 'valibot';
import type { ModelChunk, ModelUsage } from '#domain/inference/streams/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { BodyTooLarge } from '../../bounded-body.ts';
import { failureError, failureIn, isSilent, refuseFailed } from '../containers/container-failure.ts';
import type { Deadline } from '../deadline.ts';
import { serviceErrorOf } from '../errors.ts';
import { pieceBytes } from '../response-bounds.ts';
import type { Streaming } from '../runtime.ts';
import { ChunkCleaner } from './clean-chunks.ts';
import { EventReader } from './model-events.ts';

export interface ChunkSource {
  readonly model: string;
  /** Begins the model's work and gives its bytes; the deadline ends both. */
  readonly parts: Streaming;
  readonly chunk: (event: unknown) => ModelChunk;
  /** The chunk of a whole reply, which some servers return to a request for a stream. */
  readonly wholeChunk: (reply: unknown) => ModelChunk;
  /** Of the whole stream. */
  readonly deadline: Deadline;
  /** Milliseconds that each wait for a chunk may take; the time that our own reader takes does not count. */
  readonly waitMs: number;
  /** Of the whole stream. */
  readonly maxBytes: number;
}

/** Milliseconds that a stream waits for its usage after its finish reason, and then its connection for its end. */
const lastMs = 1000;

/**
 * The chunks of a stream as a container makes them. Success needs a finish reason, or `[DONE]` after anything at all: a
 * connection that ends on the border of a frame looks like any end. After its finish reason only the usage of a stream is read,
 * for at most `lastMs`: more text is dropped, and neither silence nor a failure takes back what is complete. The model's
 * work ends with the generator, whoever ends it.
 */
export async function* modelChunks(source: ChunkSource): AsyncGenerator<ModelChunk> {
  const { model, deadline, waitMs, maxBytes } = source;
  const parts = source.parts(deadline)[Symbol.asyncIterator]();
  const events = new EventReader();
  const cleaner = new ChunkCleaner();

  let next: Promise<IteratorResult<Buffer>> | undefined = parts.next();
  deadline.start();
  let isWaiting = false;
  const timer = setTimeout(() => {
    if (isWaiting) deadline.end();
  }, waitMs);

  let isWhole = false;
  let bytes = 0;
  function take(more: number): void {
    bytes += more + pieceBytes;
    if (bytes > maxBytes) throw new BodyTooLarge(maxBytes);
  }
  function eventsOf(part: IteratorResult<Buffer>): readonly string[] {
    if (part.done) return events.end();
    take(part.value.length);
    return events.push(part.value);
  }
  /** The usage that follows the finish reason; undefined if it does not come in time. */
  async function lateUsage(part: IteratorResult<Buffer>, sameTime: readonly string[]): Promise<ModelUsage | undefined> {
    const usageTimer = setTimeout(deadline.end, lastMs);
    try {
      for (let [last, read] = [part, sameTime]; ; read = eventsOf(last)) {
        const usage = read.map((event) => usageIn(event, source)).find(Boolean);
        if (usage || last.done || events.isDone) return usage;
        last = await parts.next();
      }
    } catch {
      return undefined;
    } finally {
      clearTimeout(usageTimer);
    }
  }
  try {
    let isFinished = false;
    let isEmpty = true;
    let isFirst = true;
    while (next) {
      isWaiting = true;
      const part: IteratorResult<Buffer> = await next;
      isWaiting = false;
      const read = eventsOf(part);
      for (const [index, event] of read.entries()) {
        take(0);
        const chunk = chunkOf(event, source, isFirst);
        isFirst = false;
        isEmpty &&= isEmptyChunk(chunk);
        isFinished = Boolean(chunk.choices[0]?.finish_reason);
        yield cleaner.clean(chunk);
        timer.refresh();
        if (!isFinished) continue;
        const usage = chunk.usage ? undefined : await lateUsage(part, read.slice(index + 1));
        if (usage) yield { choices: [], usage };
        break;
      }
      next = part.done || events.isDone || isFinished ? undefined : parts.next();
    }
    if (!isFinished && (isEmpty || !events.isDone))
      throw new ServiceError('MODEL_ERROR', 'The model stopped before its response was complete.');
    isWhole = true;
    const rest = cleaner.rest();
    if (rest) yield rest;
  } catch (error) {
    throw serviceErrorOf(error, model, deadline.isOver);
  } finally {
    clearTimeout(timer);
    deadline.clear();
    if (isWhole) {
      await parts.return?.();
      // The connection can serve the next call if the model ends its response in time.
      setTimeout(deadline.end, lastMs).unref();
    } else deadline.end();
  }
}

const isEmptyChunk = ({ choices, usage }: ModelChunk): boolean =>
  !usage?.prompt_tokens && choices.every(({ text, delta }) => !text && isSilent(delta));

/** Throws if an event reports that the model has failed. The first one may be a whole reply. */
function chunkOf(text: string, { model, chunk, wholeChunk }: ChunkSource, isFirst: boolean): ModelChunk {
  const event: unknown = JSON.parse(text);
  const failure = failureIn(event);
  if (failure) throw failureError(failure, model);
  const parsed = parsedChunk();
  for (const choice of parsed.choices) refuseFailed(choice);
  return parsed;

  function parsedChunk(): ModelChunk {
    try {
      return chunk(event);
    } catch (error) {
      if (!isFirst || !v.isValiError(error)) throw error;
      return wholeChunk(event);
    }
  }
}

/** The usage that an event after the finish reason reports. */
function usageIn(event: string, source: ChunkSource): ModelUsage | undefined {
  try {
    return chunkOf(event, source, false).usage ?? undefined;
  } catch {
    return undefined;
  }
}
