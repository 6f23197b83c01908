import * as v from 'valibot';
import { isJson } from '#contract/shared/json.ts';
import { type ModelChunk, type ModelUsage, StopCutter } from '#domain/inference/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { cleanText, TextCleaner } from '#domain/shared/text.ts';
import { isSilent, refuseFailed } from './container.ts';
import { type Deadline, pieceBytes, TimedParts } from './deadline.ts';
import { failureError, failureIn, serviceErrorOf } from './errors.ts';
import type { Streaming } from './runtime.ts';

export interface ChunkSource {
  readonly model: string;
  /** Starts the model's work and returns its bytes. The deadline ends both. */
  readonly parts: Streaming;
  readonly chunk: (event: unknown) => ModelChunk;
  /** The chunk of a whole reply, which some servers return to a request for a stream. */
  readonly wholeChunk: (reply: unknown) => ModelChunk;
  /** Deadline of the whole stream. */
  readonly deadline: Deadline;
  /** Timeout in ms of each wait for a chunk. Excludes the time that our own consumer needs. */
  readonly waitMs: number;
  /** Maximum bytes of the whole stream. */
  readonly maxBytes: number;
}

/** Milliseconds to wait for the usage after the finish reason, and then for the end of the response. */
const lastMs = 1000;

/**
 * Streams the chunks of a container. A complete stream requires a finish reason, or `[DONE]` after other events,
 * because a connection that breaks between frames looks like a normal end. After the finish reason, reads only the
 * usage, for at most `lastMs`: later text, silence and errors do not affect the complete reply. Stopping the generator
 * cancels the model's work.
 */
export async function* modelChunks(source: ChunkSource): AsyncGenerator<ModelChunk> {
  const { model, deadline, waitMs, maxBytes } = source;
  const parts = new TimedParts(source.parts, { deadline, waitMs, maxBytes });
  const events = new EventReader();
  const cleaner = new ChunkCleaner();
  const eventsOf = (part: IteratorResult<Buffer>): readonly string[] =>
    part.done ? events.end() : events.push(part.value);
  let isWhole = false;
  /** Returns the usage after the finish reason, or undefined if it does not arrive in time. */
  async function lateUsage(part: IteratorResult<Buffer>, sameTime: readonly string[]): Promise<ModelUsage | undefined> {
    parts.endWaits();
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
    for (let isLast = false; !isLast;) {
      const part = await parts.next();
      const read = eventsOf(part);
      for (const [index, event] of read.entries()) {
        parts.count(0);
        const chunk = chunkOf(event, source, isFirst);
        isFirst = false;
        isEmpty &&= isEmptyChunk(chunk);
        isFinished = Boolean(chunk.choices[0]?.finish_reason);
        yield cleaner.clean(chunk);
        parts.restartWait();
        if (!isFinished) continue;
        const usage = chunk.usage ? undefined : await lateUsage(part, read.slice(index + 1));
        if (usage) yield { choices: [], usage };
        break;
      }
      isLast = part.done === true || events.isDone || isFinished;
    }
    if (!isFinished && (isEmpty || !events.isDone))
      throw new ServiceError('MODEL_ERROR', 'The model stopped before its response was complete.');
    isWhole = true;
    const rest = cleaner.rest();
    if (rest) yield rest;
  } catch (error) {
    throw serviceErrorOf(error, model, deadline.isOver);
  } finally {
    await parts.close(isWhole);
    // The connection can be reused if the model ends its response in time.
    if (isWhole) setTimeout(deadline.end, lastMs).unref();
  }
}

const isEmptyChunk = ({ choices, usage }: ModelChunk): boolean =>
  !usage?.prompt_tokens && choices.every(({ text, delta }) => !text && isSilent(delta));

/** Throws if an event reports a model failure. The first event may be a whole reply. */
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

/** Usage reported by an event after the finish reason. */
function usageIn(event: string, source: ChunkSource): ModelUsage | undefined {
  try {
    return chunkOf(event, source, false).usage ?? undefined;
  } catch {
    return undefined;
  }
}

type Choice = ModelChunk['choices'][number];
type Call = NonNullable<NonNullable<Choice['delta']>['tool_calls']>[number];

/** Cleans the text and the calls of a stream's chunks (`cleanText`), including characters split between chunks. */
export class ChunkCleaner {
  readonly #text = new TextCleaner();
  readonly #content = new TextCleaner();
  /** Arguments by call index. */
  readonly #calls = new Map<number, TextCleaner>();

  /**
   * Reads the first choice of a chunk, because only one is requested. The chunk with the finish reason also contains
   * the rest of the text.
   */
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

  /** The remaining text of a stream without a finish reason. */
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
 * Passes chunks up to the first stop sequence, even one split between chunks. Stops a model that continues beyond it,
 * without reading its usage. A model that has ended may still report its usage.
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

/** Emits the held back text when the stream ends without a finish reason or a call begins. */
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

/** Bytes. Far longer than any event. */
const maxLineBytes = 1024 * 1024;

const lineEnd = 0x0a;
const endMark = '[DONE]';

/** Other fields of server-sent events, and comments (HTML standard, "Interpreting an event stream"). */
const otherFields = [':', 'event:', 'id:', 'retry:'];

/**
 * Reads the events of a container's streamed reply: server-sent events with `data:` (vLLM, TGI), JSON lines (LMI), or a
 * whole reply as indented JSON. Returns the text of each event; the caller parses the JSON. Any other line is an event
 * too, so that it is rejected instead of skipped. Input may be split anywhere, including within a character. Ignores
 * everything after `[DONE]`.
 */
export class EventReader {
  /** The incomplete last line. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  #isDone = false;
  #isFirst = true;
  /** Lines of a reply in indented JSON. */
  #indented: string[] | undefined;
  #indentedLength = 0;

  /** Whether the container has sent `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Returns the events whose lines these bytes complete. */
  push(bytes: Buffer): readonly string[] {
    const end = bytes.lastIndexOf(lineEnd) + 1;
    const ended = end > 0 ? this.#taken(bytes, end) : '';
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    return this.#events(ended);
  }

  /** Returns the event of the unterminated line, or of all lines of indented JSON. */
  end(): readonly string[] {
    const events = this.#events(this.#taken(Buffer.alloc(0), 0));
    return this.#indented ? [this.#indented.join('\n')] : events;
  }

  /** Decodes the buffered bytes up to a line end, where no character is split. */
  #taken(bytes: Buffer, end: number): string {
    if (this.#rest.length === 0) return bytes.toString('utf8', 0, end);
    const text = Buffer.concat([...this.#rest, bytes.subarray(0, end)]).toString();
    this.#rest = [];
    this.#restBytes = 0;
    return text;
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length + pieceBytes;
    if (this.#restBytes > maxLineBytes)
      throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
  }

  #events(lines: string): readonly string[] {
    const events: string[] = [];
    for (const line of lines.split('\n')) {
      // Removes the byte order mark before the first line.
      const text = line.trim();
      if (this.#indented) this.#keepIndented(line);
      else if (text === '' || otherFields.some((field) => text.startsWith(field))) continue;
      else if (this.#isFirst && isOpenJson(text)) this.#keepIndented(text);
      else {
        const event = text.startsWith('data:') ? text.slice('data:'.length).trimStart() : text;
        this.#isDone ||= event === endMark;
        if (this.#isDone) break;
        if (event !== '') events.push(event);
      }
      this.#isFirst = false;
    }
    return events;
  }

  #keepIndented(line: string): void {
    this.#indented ??= [];
    this.#indented.push(line);
    this.#indentedLength += line.length + pieceBytes;
    if (this.#indentedLength > maxLineBytes) throw new ServiceError('MODEL_ERROR', 'The model sent incomplete JSON.');
  }
}

/** Returns whether a line starts JSON that continues on the next. */
function isOpenJson(line: string): boolean {
  return (line.startsWith('{') || line.startsWith('[')) && !isJson(line);
}
