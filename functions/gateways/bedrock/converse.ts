import type {
  ContentBlock,
  ConverseCommandInput,
  ConverseCommandOutput,
  ConverseStreamOutput,
  Message,
  OutputConfig,
  TokenUsage,
  Tool,
  ToolConfiguration,
} from '@aws-sdk/client-bedrock-runtime';
import * as v from 'valibot';
import { isJsonObject, parseJson } from '#contract/shared/json.ts';

/** A value of JSON. */
type Document = NonNullable<ConverseCommandInput['additionalModelRequestFields']>;

const Call = v.object({ id: v.string(), function: v.object({ name: v.string(), arguments: v.string() }) });
const ChatBody = v.object({
  messages: v.array(
    v.object({
      role: v.picklist(['system', 'user', 'assistant', 'tool']),
      content: v.nullish(v.string(), ''),
      tool_calls: v.optional(v.array(Call), []),
      tool_call_id: v.optional(v.string(), ''),
    }),
  ),
  max_tokens: v.number(),
  temperature: v.nullish(v.number()),
  top_p: v.nullish(v.number()),
  stop: v.optional(v.array(v.string()), []),
  tools: v.optional(
    v.array(
      v.object({
        function: v.object({
          name: v.string(),
          description: v.nullish(v.string()),
          parameters: v.nullish(v.custom<Document>((value) => typeof value === 'object')),
        }),
      }),
    ),
    [],
  ),
  tool_choice: v.nullish(v.union([v.string(), v.object({ function: v.object({ name: v.string() }) })])),
  response_format: v.nullish(
    v.object({
      type: v.string(),
      json_schema: v.optional(
        v.object({ name: v.optional(v.string()), description: v.optional(v.string()), schema: v.unknown() }),
      ),
    }),
  ),
});
type ChatBody = v.InferOutput<typeof ChatBody>;
type ChatMessage = ChatBody['messages'][number];

/**
 * Translates a chat in OpenAI's format. Converse has no field for penalties, `seed` and `top_k`, and limits the
 * temperature to 1. The default `top_p` is omitted, because some models reject it together with a temperature.
 */
export function converseInput(body: unknown, modelId: string): ConverseCommandInput {
  const chat = v.parse(ChatBody, body);
  const toolConfig = toolsOf(chat);
  const outputConfig = outputOf(chat);
  const system = chat.messages.flatMap(({ role, content }) => (role === 'system' ? textOf(content) : []));
  return {
    modelId,
    messages: conversationOf(chat.messages, toolConfig !== undefined),
    ...(system.length > 0 && { system }),
    inferenceConfig: {
      maxTokens: chat.max_tokens,
      ...(typeof chat.temperature === 'number' && { temperature: Math.min(1, chat.temperature) }),
      ...(typeof chat.top_p === 'number' && chat.top_p < 1 && { topP: chat.top_p }),
      ...stopsOf(chat),
    },
    ...(toolConfig && { toolConfig }),
    ...(outputConfig && { outputConfig }),
  };
}

/** Some models reject whitespace sequences. The gateway applies all stop sequences itself. */
function stopsOf({ stop }: ChatBody) {
  const stopSequences = stop.filter((sequence) => sequence.trim() !== '');
  return stopSequences.length > 0 && { stopSequences };
}

/** Bedrock rejects blank text. */
const textOf = (text: string | null): { text: string }[] => (text?.trim() ? [{ text }] : []);

/** Merges consecutive messages of one role, because roles must alternate. Tool results have the role `user`. */
function conversationOf(messages: readonly ChatMessage[], hasTools: boolean): Message[] {
  const merged: (Message & { content: ContentBlock[] })[] = [];
  const idOf = toolIds();
  for (const message of messages) {
    if (message.role === 'system') continue;
    const content = hasTools ? blocksOf(message, idOf) : plainBlocksOf(message);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = merged.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else merged.push({ role, content });
  }
  return merged;
}

function blocksOf({ role, content, tool_calls: calls, tool_call_id: id }: ChatMessage, idOf: IdOf): ContentBlock[] {
  if (role === 'tool') return [{ toolResult: { toolUseId: idOf(id), content: textOf(content) } }];
  return [
    ...textOf(content),
    ...calls.map(({ id: callId, function: { name, arguments: text } }) => ({
      toolUse: { toolUseId: idOf(callId), name, input: objectOf(text) },
    })),
  ];
}

/** Bedrock rejects tool calls and results in a request without tools, so they become text. */
function plainBlocksOf({ role, content, tool_calls: calls }: ChatMessage): ContentBlock[] {
  if (role === 'tool') return [{ text: `[Result: ${content}]` }];
  return [
    ...textOf(content),
    ...calls.map(({ function: { name, arguments: text } }) => ({ text: `[Called ${name}: ${text}]` })),
  ];
}

type IdOf = (id: string) => string;

/** Replaces ids that Converse rejects (ToolUseBlock, `toolUseId`). */
function toolIds(): IdOf {
  const ids = new Map<string, string>();
  return (id) => {
    const known = ids.get(id) ?? (/^[\w-]{1,64}$/.test(id) ? id : `call_${ids.size}_replaced`);
    ids.set(id, known);
    return known;
  };
}

/** Generated arguments may be invalid JSON. */
function objectOf(text: string): Document {
  const value = parseJson(text);
  if (v.is(JsonObject, value)) return value;
  return text.trim() === '' ? {} : { arguments: text };
}

const JsonObject = v.custom<Record<string, Document>>(isJsonObject);

/** Converse has no equivalent of `none`, so the tools are omitted. */
function toolsOf({ tools, tool_choice: choice }: ChatBody): ToolConfiguration | undefined {
  if (tools.length === 0 || choice === 'none') return undefined;
  const toolChoice = typeof choice === 'object' && choice ? { tool: { name: choice.function.name } } : undefined;
  return {
    tools: tools.map(({ function: { name, description, parameters } }): Tool => {
      const json = parameters ?? { type: 'object', properties: {} };
      return { toolSpec: { name, ...(description && { description }), inputSchema: { json } } };
    }),
    ...(toolChoice && { toolChoice }),
    ...(choice === 'required' && { toolChoice: { any: {} } }),
  };
}

function outputOf({ response_format: format }: ChatBody): OutputConfig | undefined {
  if (!format || format.type === 'text') return undefined;
  if (!format.json_schema) throw new TypeError('the response format has no schema');
  const { name, description, schema } = format.json_schema;
  const jsonSchema = {
    schema: JSON.stringify(schema ?? {}, withoutMaxItems),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/** Structured output rejects `maxItems` (Bedrock "Get validated JSON results from models"). */
const withoutMaxItems = (key: string, value: unknown): unknown =>
  key === 'maxItems' && typeof value === 'number' ? undefined : value;

/** OpenAI's finish reasons by Bedrock stop reason. Default: `stop`. */
const reasons: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
};
const reasonOf = (reason: string | undefined): string | null => (reason ? (reasons[reason] ?? 'stop') : null);

/** Uses Anthropic's field names, because Converse also reports cached tokens separately from the input. */
const usageOf = (usage: TokenUsage) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cache_read_input_tokens: usage.cacheReadInputTokens,
  cache_creation_input_tokens: usage.cacheWriteInputTokens,
});

/** Translates a whole reply to OpenAI's format. */
export function chatReply({ output, stopReason, usage }: ConverseCommandOutput): unknown {
  const blocks = output?.message?.content;
  if (!blocks) throw new SyntaxError('the reply has no message');
  const content = blocks.map(({ text }) => text ?? '').join('');
  const reasoning = blocks.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text ?? '').join('');
  const calls = blocks.flatMap(({ toolUse }) =>
    toolUse ? [{ id: toolUse.toolUseId, function: { name: toolUse.name, arguments: argumentsOf(toolUse.input) } }] : [],
  );
  const message = {
    content,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { choices: [{ message, finish_reason: reasonOf(stopReason) }], ...(usage && { usage: usageOf(usage) }) };
}

const argumentsOf = (input: unknown): string => JSON.stringify(input ?? {});

/** Translates the events of a stream to OpenAI's chunks. */
export function chatChunks(): (event: ConverseStreamOutput) => object | undefined {
  /** Calls without arguments so far. They end with `{}`, because clients expect JSON. */
  const begun = new Set<number>();
  const delta = (piece: object) => ({ choices: [{ delta: piece }] });
  const call = (index: number, part: object) => delta({ tool_calls: [{ index, ...part }] });
  return ({ messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata }) => {
    const index = (contentBlockStart ?? contentBlockDelta ?? contentBlockStop)?.contentBlockIndex ?? 0;
    if (messageStart) return delta({});
    if (contentBlockStart?.start?.toolUse) {
      const { toolUseId: id, name } = contentBlockStart.start.toolUse;
      begun.add(index);
      return call(index, { id, function: { name } });
    }
    if (contentBlockDelta?.delta) {
      const { text, toolUse, reasoningContent } = contentBlockDelta.delta;
      if (text !== undefined) return delta({ content: text });
      if (reasoningContent?.text !== undefined) return delta({ reasoning_content: reasoningContent.text });
      if (!toolUse?.input) return undefined;
      begun.delete(index);
      return call(index, { function: { arguments: toolUse.input } });
    }
    if (contentBlockStop && begun.delete(index)) return call(index, { function: { arguments: '{}' } });
    if (messageStop) return { choices: [{ delta: {}, finish_reason: reasonOf(messageStop.stopReason) }] };
    if (metadata?.usage) return { choices: [], usage: usageOf(metadata.usage) };
    return undefined;
  };
}
