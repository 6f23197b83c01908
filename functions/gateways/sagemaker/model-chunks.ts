import * as v from 'valibot';
import { BodyTooLarge } from '#aws/bounded-body.ts';
import { type ModelChunk, type ModelUsage, StopCutter } from '#domain/inference/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { cleanText, TextCleaner } from '#domain/shared/text.ts';
import { failureError, failureIn, isSilent, refuseFailed } from './container.ts';
import { serviceErrorOf } from './errors.ts';
import { EventReader } from './model-events.ts';
import { type Deadline, pieceBytes, type Streaming } from './runtime.ts';

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

type Choice = ModelChunk['choices'][number];
type Call = NonNullable<NonNullable<Choice['delta']>['tool_calls']>[number];

/** Cleans the text and the calls of a stream's chunks (`cleanText`), including characters that are cut between chunks. */
export class ChunkCleaner {
  readonly #text = new TextCleaner();
  readonly #content = new TextCleaner();
  /** By the call's index, for its arguments. */
  readonly #calls = new Map<number, TextCleaner>();

  /** The first choice of a chunk, as only one is requested. The one with the reason to end also has the rest of the text. */
  clean(chunk: ModelChunk): ModelChunk {
    const [choice] = chunk.choices;
    if (!choice) return chunk;
    const { text, delta, finish_reason: reason } = choice;
    if (text) choice.text = this.#text.push(text);
    if (delta?.content) delta.content = this.#content.push(delta.content);
    for (const [position, call] of (delta?.tool_calls ?? []).entries()) this.#cleanCall(call, position);
    if (reason) addRest(choice, this.#text.rest(), this.#content.rest());
    return { ...chunk, choices: [choice] };
  }

  /** The rest of a text that ended without a reason. */
  rest(): ModelChunk | undefined {
    const choice: Choice = {};
    addRest(choice, this.#text.rest(), this.#content.rest());
    return choice.text || choice.delta ? { choices: [choice] } : undefined;
  }

  #cleanCall(call: Call, position: number): void {
    const { function: called, index } = call;
    if (call.id) call.id = cleanText(call.id);
    if (called.name) called.name = cleanText(called.name);
    if (!called.arguments) return;
    const key = index ?? position;
    const cleaner = this.#calls.get(key) ?? new TextCleaner();
    this.#calls.set(key, cleaner);
    called.arguments = cleaner.push(called.arguments);
  }
}

function addRest(choice: Choice, text: string, content: string): void {
  if (text) choice.text = (choice.text ?? '') + text;
  if (content) choice.delta = { ...choice.delta, content: (choice.delta?.content ?? '') + content };
}

/**
 * Chunks up to the first stop sequence, also where it came in pieces. A model that runs on past it is left there, and its
 * usage with it; one that has ended may still report its usage.
 */
export function stoppedChunks(source: ChunkSource, stops: readonly string[]): AsyncGenerator<ModelChunk> {
  const chunks = modelChunks(source);
  return stops.length === 0 ? chunks : cutChunks(chunks, stops);
}

async function* cutChunks(chunks: AsyncIterable<ModelChunk>, stops: readonly string[]): AsyncGenerator<ModelChunk> {
  const cutter = new StopCutter(stops);
  let last: Choice = {};
  let hasStopped = false;
  for await (const chunk of chunks) {
    const [choice] = chunk.choices;
    if (hasStopped || !choice) {
      yield { ...chunk, choices: [] };
      continue;
    }
    if (choice.delta?.tool_calls) yield* held(cutter, last);
    const { text, stopped } = cutter.push(textOf(choice));
    if (stopped) yield { ...chunk, choices: [{ ...withText(choice, text), finish_reason: 'stop' }] };
    else yield { ...chunk, choices: [withText(choice, choice.finish_reason ? text + cutter.rest() : text)] };
    if (stopped && !choice.finish_reason) return;
    hasStopped = stopped;
    last = choice;
  }
  yield* held(cutter, last);
}

/** What was held back of the text, when it ends without a reason or a call begins. */
function* held(cutter: StopCutter, like: Choice): Generator<ModelChunk> {
  const text = cutter.rest();
  if (text) yield { choices: [typeof like.text === 'string' ? { text } : { delta: { content: text } }] };
}

const textOf = ({ text, delta }: Choice): string => text ?? delta?.content ?? '';

function withText(choice: Choice, text: string): Choice {
  if (typeof choice.text === 'string') return { ...choice, text };
  const hasContent = typeof choice.delta?.content === 'string' || text !== '';
  return hasContent ? { ...choice, delta: { ...choice.delta, content: text } } : choice;
}
