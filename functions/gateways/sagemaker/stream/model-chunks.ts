import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { BodyTooLarge } from '../../bounded-body.ts';
import { failureError, failureIn } from '../containers/container-failure.ts';
import type { Deadline } from '../deadline.ts';
import { serviceErrorOf } from '../errors.ts';
import { pieceBytes } from '../response-bounds.ts';
import type { Streaming } from '../runtime.ts';
import { EventReader } from './model-events.ts';

export interface ChunkSource {
  readonly model: string;
  /** Begins the model's work and gives its bytes; the deadline ends both. */
  readonly parts: Streaming;
  readonly chunk: (event: unknown) => ModelChunk;
  /** Of the whole stream. */
  readonly deadline: Deadline;
  /** Milliseconds that each wait for a chunk may take; the time that our own reader takes does not count. */
  readonly waitMs: number;
  /** Of the whole stream. */
  readonly maxBytes: number;
}

/** Why a model ended that has failed: words of vLLM, and of older servers of LMI. */
const failures = new Set(['error', 'abort']);

export function refuseFailed({ finish_reason: reason }: { finish_reason?: string | null | undefined }) {
  if (reason && failures.has(reason)) throw new ServiceError('MODEL_ERROR', 'The model failed.');
}

interface Message {
  readonly content?: string | null | undefined;
  readonly tool_calls?: readonly unknown[] | null | undefined;
}
const isSilent = (message: Message | null | undefined): boolean => !message?.content && !message?.tool_calls?.length;

interface WholeReply {
  readonly choices: readonly { text?: string; message?: Message; finish_reason?: string | null | undefined }[];
  readonly usage?: unknown;
}

/** A reply without output, a reason to end and usage is none: nobody is to pay for it. */
export function refuseEmpty({ choices: [first], usage }: WholeReply): void {
  if (usage || first?.finish_reason || first?.text || !isSilent(first?.message)) return;
  throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
}

/**
 * The chunks of a stream as a container makes them. Success needs a finish reason, or `[DONE]` after anything at all: a
 * connection that ends on the border of a frame looks like any end. The model's work ends with the generator, whoever ends it.
 */
export async function* modelChunks(source: ChunkSource): AsyncGenerator<ModelChunk> {
  const { model, deadline, waitMs, maxBytes } = source;
  const parts = source.parts(deadline)[Symbol.asyncIterator]();
  const events = new EventReader();

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
  try {
    let isFinished = false;
    let isEmpty = true;
    while (next) {
      isWaiting = true;
      const part: IteratorResult<Buffer> = await next;
      isWaiting = false;
      if (!part.done) take(part.value.length);
      for (const event of part.done ? events.end() : events.push(part.value)) {
        take(0);
        const chunk = chunkOf(event, source);
        isFinished ||= chunk.choices.some((choice) => choice.finish_reason);
        isEmpty &&= isEmptyChunk(chunk);
        yield chunk;
        timer.refresh();
      }
      next = part.done || events.isDone ? undefined : parts.next();
    }
    if (!isFinished && (isEmpty || !events.isDone))
      throw new ServiceError('MODEL_ERROR', 'The model stopped before its response was complete.');
    isWhole = true;
  } catch (error) {
    throw serviceErrorOf(error, model, deadline.isOver);
  } finally {
    clearTimeout(timer);
    deadline.clear();
    // A model that is done has nothing to end, and its connection can serve the next call.
    if (isWhole) await parts.return?.();
    else deadline.end();
  }
}

const isEmptyChunk = ({ choices, usage }: ModelChunk): boolean =>
  !usage && choices.every(({ text, delta }) => !text && isSilent(delta));

/** Throws where an event reports that the model has failed. */
function chunkOf(text: string, { model, chunk }: ChunkSource): ModelChunk {
  const event: unknown = JSON.parse(text);
  const failure = failureIn(event);
  if (failure) throw failureError(failure, model);
  const parsed = chunk(event);
  for (const choice of parsed.choices) refuseFailed(choice);
  return parsed;
}
