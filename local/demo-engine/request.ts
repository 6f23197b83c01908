import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import type { EngineReply } from '../sagemaker/engine.ts';

const part = v.looseObject({ text: v.optional(v.string(), '') });
const content = v.pipe(
  v.nullish(v.union([v.string(), v.array(part)]), ''),
  v.transform((given) => (typeof given === 'string' ? given : given.map(({ text }) => text).join(''))),
);

/** vLLM rejects limits below one token. */
const limit = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1)));

const common = {
  model: v.nullish(v.string(), 'demo'),
  max_tokens: limit,
  max_completion_tokens: limit,
  stop: v.pipe(
    v.nullish(v.union([v.string(), v.array(v.string())]), []),
    v.transform((given) => [given].flat().filter((stop) => stop !== '')),
  ),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(
    v.object({ include_usage: v.nullish(v.boolean(), false), continuous_usage_stats: v.nullish(v.boolean(), false) }),
    { include_usage: false, continuous_usage_stats: false },
  ),
};

const Tool = v.object({
  type: v.literal('function'),
  function: v.object({ name: v.string(), description: v.nullish(v.string(), ''), parameters: v.optional(v.unknown()) }),
});
export type Tool = v.InferOutput<typeof Tool>['function'];

export const ChatBody = v.object({
  ...common,
  messages: v.pipe(
    v.array(v.object({ role: v.string(), content, name: v.nullish(v.string()) })),
    v.minLength(1, 'at least one message is needed'),
  ),
  tools: v.pipe(
    v.nullish(v.array(Tool), []),
    v.transform((tools) => tools.map((tool) => tool.function)),
  ),
  tool_choice: v.nullish(
    v.union([
      v.picklist(['auto', 'none', 'required']),
      v.object({ type: v.literal('function'), function: v.object({ name: v.string() }) }),
    ]),
    'auto',
  ),
  parallel_tool_calls: v.nullish(v.boolean(), true),
  reasoning_effort: v.nullish(v.string()),
  response_format: v.nullish(
    v.looseObject({ type: v.string(), json_schema: v.nullish(v.looseObject({ schema: v.optional(v.unknown()) })) }),
  ),
});
export type ChatBody = v.InferOutput<typeof ChatBody>;

export const CompletionBody = v.object({
  ...common,
  prompt: v.pipe(
    v.union([v.string(), v.pipe(v.array(v.string()), v.length(1))]),
    v.transform((given) => [given].flat().join('')),
  ),
});
export type CompletionBody = v.InferOutput<typeof CompletionBody>;

export const EmbeddingsBody = v.object({
  model: common.model,
  input: v.pipe(
    v.union([v.string(), v.pipe(v.array(v.string()), v.minLength(1))]),
    v.transform((given) => [given].flat()),
  ),
  dimensions: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096)), 1536),
  encoding_format: v.nullish(v.picklist(['float', 'base64']), 'float'),
});
export type EmbeddingsBody = v.InferOutput<typeof EmbeddingsBody>;

export function firstProblem(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const path = v.getDotPath(issues[0]);
  return path ? `${path}: ${issues[0].message}` : issues[0].message;
}

/** Events before the first token, one per token, and after the last. */
export interface Events {
  readonly head: readonly unknown[];
  readonly tokens: readonly unknown[];
  readonly tail: readonly unknown[];
}

/** Delays in ms: before the first token, between tokens, and before a whole reply. */
export interface Tempo {
  readonly firstMs: number;
  readonly betweenMs: number;
  readonly plainMs: number;
}

export function eventStream(events: Events, tempo: Tempo, signal: AbortSignal): EngineReply {
  return { kind: 'stream', contentType: 'text/event-stream; charset=utf-8', chunks: paced(events, tempo, signal) };
}

async function* paced({ head, tokens, tail }: Events, tempo: Tempo, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await pause(tempo.firstMs, signal);
  for (const event of head) yield encode(event);
  for (const [index, event] of tokens.entries()) {
    if (index > 0) await pause(tempo.betweenMs, signal);
    yield encode(event);
  }
  for (const event of tail) yield encode(event);
  yield Buffer.from('data: [DONE]\n\n');
}

function encode(event: unknown): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms > 0) await setTimeout(ms, undefined, { signal });
}
