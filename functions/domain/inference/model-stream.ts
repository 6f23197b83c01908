import * as v from 'valibot';
import type { Tokenizer } from '../shared/ports.ts';

const Usage = v.object({ prompt_tokens: v.number(), completion_tokens: v.number() });
export type ModelUsage = v.InferOutput<typeof Usage>;

/** The tokens that a container reports it used. Treats an invalid count as missing. */
export const ReportedUsage = v.fallback(v.nullish(Usage), null);

/** Like `v.object`, but refuses arrays, which would pass as objects without any field. */
export const recordOf = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value), 'must be an object'),
    v.object(entries),
  );

const ToolCall = v.object({
  index: v.nullish(v.number()),
  id: v.nullish(v.string()),
  function: v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) }),
});

const Delta = recordOf({ content: v.nullish(v.string()), tool_calls: v.nullish(v.array(ToolCall)) });

/** A chunk of an OpenAI-compatible container's stream. `message` occurs in whole replies only. */
const ModelChunk = v.object({
  choices: v.optional(
    v.array(
      v.object({
        text: v.nullish(v.string()),
        delta: v.nullish(Delta),
        message: v.optional(v.unknown()),
        finish_reason: v.nullish(v.string()),
      }),
    ),
    [],
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelChunk = v.InferOutput<typeof ModelChunk>;

/** A chunk of a chat (`delta`). Refuses output in a field that is not read, as it would pass for an empty chunk. */
export const ChatChunk = v.pipe(
  ModelChunk,
  v.check(
    ({ choices }) => choices.every(({ delta, text, message }) => delta || !(text || message !== undefined)),
    'must have a delta in each choice',
  ),
);

/** The same of a text completion (`text`). */
export const CompletionChunk = v.pipe(
  ModelChunk,
  v.check(
    ({ choices }) =>
      choices.every(
        ({ delta, text, message }) => typeof text === 'string' || !(delta?.content || message !== undefined),
      ),
    'must have a text in each choice',
  ),
);

/** The usage that a call can have come to, beyond which a container's report is impossible. */
export interface UsageBounds {
  readonly promptTokens: number;
  /** The `max_tokens` that the model was sent. */
  readonly completionTokens: number;
  /** Whether the model generated anything that was read. */
  readonly hasOutput: boolean;
}

export const isPossibleCount = (tokens: number, min: number, max: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= min && tokens <= max;

/**
 * The usage to charge: what the container reports, or our own count where that is missing or impossible. A count of 0 is
 * possible only if there is no output.
 */
export async function billable(
  usage: ModelUsage | null | undefined,
  { promptTokens, completionTokens, hasOutput }: UsageBounds,
  count: () => Promise<ModelUsage>,
): Promise<ModelUsage> {
  const minTokens = hasOutput ? 1 : 0;
  const isUsable =
    usage &&
    isPossibleCount(usage.prompt_tokens, minTokens, promptTokens) &&
    isPossibleCount(usage.completion_tokens, minTokens, completionTokens);
  return isUsable ? usage : count();
}

/** Usage as responses report it. */
export function totalled({ prompt_tokens, completion_tokens }: ModelUsage) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** Characters and pieces for each token of `max_tokens`, and besides, from which on a text is worth counting: few texts reach them. */
const countFrom = { characters: 16, moreCharacters: 1024, pieces: 2, morePieces: 64 };

/** By our tokenizer, which is not the model's, a text within `max_tokens` may have so many times as many, and so many more. */
const slack = { factor: 1.25, tokens: 16 };

/**
 * The text of a stream that was delivered so far, and whether the model has run past the `max_tokens` that it was sent. Its
 * tokens are only counted when its characters or pieces are suspicious, and then again at twice as many.
 */
export class DeliveredText {
  #text = '';
  #usage: ModelUsage | null | undefined;
  #pieces = 0;
  #suspicious: { characters: number; pieces: number };
  readonly #maxTokens: number;
  readonly #tokenizer: Tokenizer;

  constructor(maxTokens: number, tokenizer: Tokenizer) {
    this.#maxTokens = maxTokens;
    this.#tokenizer = tokenizer;
    this.#suspicious = {
      characters: countFrom.characters * maxTokens + countFrom.moreCharacters,
      pieces: countFrom.pieces * maxTokens + countFrom.morePieces,
    };
  }

  get text(): string {
    return this.#text;
  }

  /** What the model reports of it, and of the prompt, as long as that is within `max_tokens`; only of some containers. */
  get usage(): ModelUsage | null | undefined {
    return this.#usage;
  }

  /** `usage` is the last that the model has reported, with this piece or before. */
  add(piece: string, usage?: ModelUsage | null): void {
    this.#text += piece;
    if (!usage || usage.completion_tokens <= this.#maxTokens) this.#usage = usage;
    this.#pieces += 1;
  }

  /** Whether `isOverlong` is worth its time. */
  get isSuspicious(): boolean {
    return this.#text.length > this.#suspicious.characters || this.#pieces > this.#suspicious.pieces;
  }

  async isOverlong(): Promise<boolean> {
    const tokens = await this.#tokenizer.count(this.#text);
    this.#suspicious = { characters: 2 * this.#text.length, pieces: 2 * this.#pieces };
    return tokens > slack.factor * this.#maxTokens + slack.tokens;
  }
}

/** A text as far as it may be passed on, and whether that is its end. */
interface Cut {
  readonly text: string;
  readonly stopped: boolean;
}

/** A text cut before the first stop sequence that is complete in it; of two that end at the same place, the longer. */
export function cutAtStop(text: string, stops: readonly string[]): Cut {
  const cut = new StopCutter(stops).push(text);
  return cut.stopped ? cut : { text, stopped: false };
}

/**
 * The same for a text that comes in pieces: no more is held back than may be the beginning of a stop sequence. Takes time
 * in proportion to the text, however long the sequences are and however much of them the text repeats.
 */
export class StopCutter {
  readonly #matchers: readonly Matcher[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#matchers = stops.map((stop) => new Matcher(stop));
  }

  /** What may be passed on now that `piece` has come. Nothing may follow once it has stopped. */
  push(piece: string): Cut {
    if (this.#matchers.length === 0) return { text: piece, stopped: false };
    const text = this.#held + piece;
    for (let index = 0; index < piece.length; index += 1) {
      const complete = this.#matchers.filter((matcher) => matcher.reads(piece.charCodeAt(index)));
      if (complete.length === 0) continue;
      const end = text.length - piece.length + index + 1;
      this.#held = '';
      return { text: text.slice(0, end - Math.max(...complete.map(({ length }) => length))), stopped: true };
    }
    const kept = Math.max(0, ...this.#matchers.map(({ begun }) => begun));
    this.#held = text.slice(text.length - kept);
    return { text: text.slice(0, text.length - kept), stopped: false };
  }

  /** What was held back, for the end of the text. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** Knuth, Morris and Pratt's search for one sequence. */
class Matcher {
  /** How much of the sequence the text ends with. */
  begun = 0;
  readonly length: number;
  readonly #stop: string;
  /** For each length of a beginning, that of the longest shorter beginning which it ends with. */
  readonly #shorter: Int32Array;

  constructor(stop: string) {
    this.#stop = stop;
    this.length = stop.length;
    this.#shorter = new Int32Array(stop.length + 1);
    for (let index = 1, begun = 0; index < stop.length; index += 1) {
      begun = this.#next(begun, stop.charCodeAt(index));
      this.#shorter[index + 1] = begun;
    }
  }

  /** Reads one more unit of the text; true once the sequence is complete. */
  reads(unit: number): boolean {
    this.begun = this.#next(this.begun, unit);
    return this.begun === this.length;
  }

  #next(begun: number, unit: number): number {
    let length = begun;
    while (length > 0 && this.#stop.charCodeAt(length) !== unit) length = this.#shorter[length] ?? 0;
    return this.#stop.charCodeAt(length) === unit ? length + 1 : 0;
  }
}

/** Why a text ends (docs/specification.md#text-completion-object-data-of-a-completion-response). */
export type EndReason = 'stop' | 'length' | 'content_filter';

/** Containers have more words for a natural end (`eos_token`, `stop_sequence`) than the specification. */
export function endReason(given: string | null | undefined): EndReason {
  return given === 'length' || given === 'content_filter' ? given : 'stop';
}

/** A response that calls a function ended by that, unless it was cut short: then the call may not be whole. */
export function reasonOf<Called extends string>(end: { reason: EndReason; called: boolean }, called: Called) {
  return end.called && end.reason === 'stop' ? called : end.reason;
}
