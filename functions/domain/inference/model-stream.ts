import * as v from 'valibot';
import type { Tokenizer } from '../shared/ports.ts';

/** `prompt_tokens` include the tokens read from or written to a cache. */
export interface ModelUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens?: number;
  readonly cache_write_tokens?: number;
  /** Part of `completion_tokens`. */
  readonly reasoning_tokens?: number;
}

const tokens = v.nullish(v.number(), 0);

/** OpenAI, vLLM and LMI count cached tokens within the prompt; TGI does not report them. */
const OpenAiUsage = v.pipe(
  v.object({
    prompt_tokens: v.number(),
    completion_tokens: v.number(),
    prompt_tokens_details: v.nullish(v.object({ cached_tokens: tokens })),
    completion_tokens_details: v.fallback(v.nullish(v.object({ reasoning_tokens: tokens })), null),
  }),
  v.transform(({ prompt_tokens_details: prompt, completion_tokens_details: completion, ...counts }) => ({
    ...withCache(counts, prompt?.cached_tokens ?? 0, 0),
    ...(completion?.reasoning_tokens && { reasoning_tokens: completion.reasoning_tokens }),
  })),
);

/** Anthropic reports cached tokens separately from the input. */
const AnthropicUsage = v.pipe(
  v.object({
    input_tokens: v.number(),
    output_tokens: v.number(),
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
  }),
  v.transform(({ input_tokens, output_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written }) =>
    withCache({ prompt_tokens: input_tokens + read + written, completion_tokens: output_tokens }, read, written),
  ),
);

function withCache(counts: ModelUsage, cached_tokens: number, cache_write_tokens: number): ModelUsage {
  return cached_tokens === 0 && cache_write_tokens === 0 ? counts : { ...counts, cached_tokens, cache_write_tokens };
}

/** The report of any container family, in one form. An unreadable one is null. */
export const ReportedUsage = v.fallback(v.nullish(v.union([OpenAiUsage, AnthropicUsage])), null);

/** Like `v.object`, but rejects arrays, which would otherwise pass as objects without fields. */
export const recordOf = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value), 'must be an object'),
    v.object(entries),
  );

/**
 * Output in fields other than text, calls and reasoning would be lost silently. A refusal becomes text; audio is
 * invalid.
 */
export const otherOutput = { refusal: v.nullish(v.string()), audio: v.nullish(v.null('must not be audio')) };

const reasoningText = v.fallback(v.nullish(v.string()), null);

/** vLLM and LMI send `reasoning_content` or, in newer versions, `reasoning`. */
export const reasoningOutput = { reasoning_content: reasoningText, reasoning: reasoningText };

/** vLLM names the stop sequence that ended the output, or the id of a token. */
export const stopOutput = { stop_reason: v.fallback(v.nullish(v.string()), null) };

const ToolCall = v.object({
  index: v.nullish(v.number()),
  id: v.nullish(v.string()),
  function: v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) }),
});

const Delta = v.pipe(
  recordOf({
    content: v.nullish(v.string()),
    tool_calls: v.nullish(v.array(ToolCall)),
    function_call: v.nullish(v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) })),
    ...otherOutput,
    ...reasoningOutput,
  }),
  v.transform(({ function_call: called, refusal, reasoning_content, reasoning, ...delta }) => ({
    ...delta,
    ...((reasoning_content || reasoning) && { reasoning: reasoning_content || reasoning }),
    ...(refusal && !delta.content && { content: refusal, isRefusal: true as const }),
    ...(called && !delta.tool_calls?.length && { tool_calls: [{ index: 0, function: called }] }),
  })),
);

/** A chunk of an OpenAI-compatible container's stream. `message` occurs in whole replies only. */
const ModelChunk = v.object({
  choices: v.optional(
    v.array(
      v.object({
        text: v.nullish(v.string()),
        delta: v.nullish(Delta),
        message: v.optional(v.unknown()),
        finish_reason: v.nullish(v.string()),
        logprobs: v.optional(v.unknown()),
        ...stopOutput,
      }),
    ),
    [],
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelChunk = v.InferOutput<typeof ModelChunk>;

/** A chat chunk (`delta`). Rejects output in other fields, which would otherwise be lost silently. */
export const ChatChunk = v.pipe(
  ModelChunk,
  v.check(
    ({ choices }) => choices.every(({ delta, text, message }) => delta || !(text || message !== undefined)),
    'must have a delta in each choice',
  ),
);

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

/** The maximum usage of a call. A container's report beyond it is invalid. */
export interface UsageBounds {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly hasOutput: boolean;
}

export const isPossibleCount = (tokens: number, min: number, max: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= min && tokens <= max;

/** Returns the container's report, or our own count if that is missing or impossible. */
export async function billable(
  usage: ModelUsage | null | undefined,
  { promptTokens, completionTokens, hasOutput }: UsageBounds,
  count: () => Promise<ModelUsage>,
): Promise<ModelUsage> {
  const minTokens = hasOutput ? 1 : 0;
  const isUsable =
    usage &&
    isPossibleCount(usage.prompt_tokens, minTokens, promptTokens) &&
    isPossibleCount(usage.completion_tokens, minTokens, completionTokens) &&
    isPossibleCache(usage);
  if (!isUsable) return count();
  const { reasoning_tokens: reasoning, ...counts } = usage;
  return reasoning !== undefined && isPossibleCount(reasoning, 0, usage.completion_tokens) ? usage : counts;
}

function isPossibleCache({ prompt_tokens, cached_tokens = 0, cache_write_tokens = 0 }: ModelUsage): boolean {
  return (
    isPossibleCount(cached_tokens, 0, prompt_tokens) &&
    isPossibleCount(cache_write_tokens, 0, prompt_tokens - cached_tokens)
  );
}

/** The usage with its total, and the cached tokens if the container reported them. */
export function totalled({ prompt_tokens, completion_tokens, cached_tokens }: ModelUsage) {
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...(cached_tokens !== undefined && { prompt_tokens_details: { cached_tokens } }),
  };
}

/** Adds the usage of two calls. A missing detail counts as 0 if the other call reports it. */
export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  const sum = (field: keyof ModelUsage) =>
    one[field] === undefined && other[field] === undefined ? {} : { [field]: (one[field] ?? 0) + (other[field] ?? 0) };
  return {
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    ...sum('cached_tokens'),
    ...sum('cache_write_tokens'),
    ...sum('reasoning_tokens'),
  };
}

/** The usage with the details that the container reported, as OpenAI names them. */
export function detailed(usage: ModelUsage) {
  const { reasoning_tokens } = usage;
  return {
    ...totalled(usage),
    ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
  };
}

/** Sizes above which a text is counted, per token of `max_tokens` and in addition. Few texts exceed them. */
const countFrom = { characters: 16, moreCharacters: 1024, pieces: 2, morePieces: 64 };

/** Tolerance for the difference between our tokenizer and the model's. */
const slack = { factor: 1.25, tokens: 16 };

/** Detects models that exceed `max_tokens`. Counts tokens only if the size is suspicious. */
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

  get usage(): ModelUsage | null | undefined {
    return this.#usage;
  }

  add(piece: string, usage?: ModelUsage | null): void {
    this.#text += piece;
    if (!usage || usage.completion_tokens <= this.#maxTokens) this.#usage = usage;
    this.#pieces += 1;
  }

  get isSuspicious(): boolean {
    return this.#text.length > this.#suspicious.characters || this.#pieces > this.#suspicious.pieces;
  }

  async isOverlong(): Promise<boolean> {
    const tokens = await this.#tokenizer.count(this.#text);
    this.#suspicious = { characters: 2 * this.#text.length, pieces: 2 * this.#pieces };
    return tokens > slack.factor * this.#maxTokens + slack.tokens;
  }
}

interface Cut {
  readonly text: string;
  readonly stopped: boolean;
}

/** Cuts a text before its first complete stop sequence. If two end together, the longer wins. */
export function cutAtStop(text: string, stops: readonly string[]): Cut {
  const cut = new StopCutter(stops).push(text);
  return cut.stopped ? cut : { text, stopped: false };
}

/** Holds back only a possible beginning of a stop sequence. Runs in linear time. */
export class StopCutter {
  readonly #matchers: readonly Matcher[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#matchers = stops.map((stop) => new Matcher(stop));
  }

  /** Returns the text that may be emitted after `piece`. Must not be called after it has stopped. */
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

  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

class Matcher {
  begun = 0;
  readonly length: number;
  readonly #stop: string;
  /** The failure function: for each prefix, the length of its longest proper border. */
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

/** Finish reasons (docs/specification.md#text-completion-object-data-of-a-completion-response). */
export type EndReason = 'stop' | 'length' | 'content_filter';

/** Containers report a natural end with other words too, such as `eos_token` or `stop_sequence`. */
export function endReason(given: string | null | undefined): EndReason {
  return given === 'length' || given === 'content_filter' ? given : 'stop';
}

/** Returns `called` unless the response was truncated, because its call may be incomplete. */
export function reasonOf<Called extends string>(end: { reason: EndReason; called: boolean }, called: Called) {
  return end.called && end.reason === 'stop' ? called : end.reason;
}
