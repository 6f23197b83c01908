import * as v from 'valibot';

/** Name of a tool, or id of its use. */
const ToolWord = v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must match [a-zA-Z0-9_-]+'));

const Block = v.union([
  v.strictObject({ text: v.string() }),
  v.strictObject({
    toolUse: v.strictObject({ toolUseId: ToolWord, name: ToolWord, input: v.record(v.string(), v.unknown()) }),
  }),
  v.strictObject({
    toolResult: v.strictObject({ toolUseId: ToolWord, content: v.array(v.strictObject({ text: v.string() })) }),
  }),
]);

const ToolChoice = v.union([
  v.strictObject({ auto: v.strictObject({}) }),
  v.strictObject({ any: v.strictObject({}) }),
  v.strictObject({ tool: v.strictObject({ name: ToolWord }) }),
]);

/** A request of Converse (Bedrock API reference). Fields that our client never sends are rejected. */
export const ConverseBody = v.strictObject({
  messages: v.pipe(
    v.array(
      v.strictObject({ role: v.picklist(['user', 'assistant']), content: v.pipe(v.array(Block), v.minLength(1)) }),
    ),
    v.minLength(1),
  ),
  system: v.optional(v.array(v.strictObject({ text: v.pipe(v.string(), v.minLength(1)) })), []),
  inferenceConfig: v.strictObject({
    maxTokens: v.pipe(v.number(), v.integer(), v.minValue(1)),
    temperature: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1, 'must be at most 1'))),
    topP: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    stopSequences: v.optional(v.array(v.pipe(v.string(), v.minLength(1))), []),
  }),
  toolConfig: v.optional(
    v.strictObject({
      tools: v.pipe(
        v.array(
          v.strictObject({
            toolSpec: v.strictObject({
              name: ToolWord,
              description: v.optional(v.pipe(v.string(), v.minLength(1))),
              inputSchema: v.strictObject({ json: v.unknown() }),
            }),
          }),
        ),
        v.minLength(1),
      ),
      toolChoice: v.optional(ToolChoice),
    }),
  ),
  outputConfig: v.optional(
    v.strictObject({
      textFormat: v.strictObject({
        type: v.literal('json_schema'),
        structure: v.strictObject({
          jsonSchema: v.strictObject({
            schema: v.string(),
            name: v.optional(v.string()),
            description: v.optional(v.string()),
          }),
        }),
      }),
    }),
  ),
});
export type ConverseBody = v.InferOutput<typeof ConverseBody>;

/** Checks the rules of Bedrock. Returns its error message, or undefined. */
export function converseRefusal({ messages, toolConfig }: ConverseBody): string | undefined {
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message. Try again.';
  let open: readonly string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    if (role === messages[at - 1]?.role)
      return 'Roles must alternate between user and assistant in the conversation. Try again.';
    const blank = content.findIndex((block) => 'text' in block && block.text.trim() === '');
    if (blank >= 0)
      return `The text field in the ContentBlock object at messages.${at}.content.${blank} is blank. Add text to the text field, and try again.`;
    const results = content.flatMap((block) => ('toolResult' in block ? [block.toolResult.toolUseId] : []));
    const missing = open.filter((id) => !results.includes(id));
    if (missing.length > 0)
      return `Expected toolResult blocks at messages.${at}.content for the following Ids: ${missing.join(', ')}`;
    if (results.some((id) => !open.includes(id)))
      return `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`;
    open = content.flatMap((block) => ('toolUse' in block ? [block.toolUse.toolUseId] : []));
    if (!toolConfig && (open.length > 0 || results.length > 0))
      return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  }
  return undefined;
}

/** The demo engine has a smaller context than models on Bedrock, in which a larger output would not fit. */
const maxEngineTokens = 8192;

/** The request for the engine, in OpenAI's format. */
export function engineBody(
  { messages, system, inferenceConfig, toolConfig, outputConfig }: ConverseBody,
  stream: boolean,
): object {
  const { maxTokens, temperature, topP, stopSequences } = inferenceConfig;
  const choice = toolConfig?.toolChoice;
  return JSON.parse(
    JSON.stringify({
      messages: [
        ...system.map(({ text }) => ({ role: 'system', content: text })),
        ...messages.flatMap(({ role, content }) => messagesOf(role, content)),
      ],
      max_tokens: Math.min(maxTokens, maxEngineTokens),
      temperature,
      top_p: topP,
      stop: stopSequences.length > 0 ? stopSequences : undefined,
      tools: toolConfig?.tools.map(({ toolSpec: { name, description, inputSchema } }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema.json },
      })),
      tool_choice: choice && choiceOf(choice),
      response_format: outputConfig && {
        type: 'json_schema',
        json_schema: {
          name: outputConfig.textFormat.structure.jsonSchema.name ?? 'format',
          schema: JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema),
        },
      },
      stream,
      stream_options: stream ? { include_usage: true } : undefined,
    }),
  );
}

type Block = v.InferOutput<typeof Block>;

function messagesOf(role: 'user' | 'assistant', blocks: readonly Block[]): object[] {
  const text = blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n');
  const calls = blocks.flatMap((block) => ('toolUse' in block ? [block.toolUse] : []));
  const results = blocks.flatMap((block) => ('toolResult' in block ? [block.toolResult] : []));
  return [
    ...results.map(({ toolUseId: id, content }) => ({
      role: 'tool',
      tool_call_id: id,
      content: content.map((part) => part.text).join('\n'),
    })),
    ...(calls.length > 0
      ? [
          {
            role,
            content: text || null,
            tool_calls: calls.map(({ toolUseId: id, name, input }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          },
        ]
      : text === ''
        ? []
        : [{ role, content: text }]),
  ];
}

function choiceOf(choice: v.InferOutput<typeof ToolChoice>): unknown {
  if ('tool' in choice) return { type: 'function', function: { name: choice.tool.name } };
  return 'any' in choice ? 'required' : 'auto';
}

const Call = v.object({
  index: v.optional(v.number()),
  id: v.nullish(v.string()),
  function: v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) }),
});
const Part = v.object({
  content: v.nullish(v.string()),
  reasoning_content: v.nullish(v.string()),
  tool_calls: v.nullish(v.array(Call)),
});
const Usage = v.nullish(
  v.object({
    prompt_tokens: v.number(),
    completion_tokens: v.number(),
    prompt_tokens_details: v.nullish(v.object({ cached_tokens: v.nullish(v.number(), 0) })),
  }),
);
const Whole = v.object({
  choices: v.pipe(v.array(v.object({ message: Part, finish_reason: v.nullish(v.string()) })), v.minLength(1)),
  usage: Usage,
});
const Chunk = v.object({
  choices: v.optional(v.array(v.object({ delta: v.optional(Part), finish_reason: v.nullish(v.string()) })), []),
  usage: Usage,
});

const stopReasons: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
};
const stopReasonOf = (reason: string | null | undefined): string => stopReasons[reason ?? ''] ?? 'end_turn';

/** Bedrock reports cached tokens separately from the input. */
function usageOf(usage: v.InferOutput<typeof Usage>) {
  const {
    prompt_tokens: prompt = 0,
    completion_tokens: outputTokens = 0,
    prompt_tokens_details: details,
  } = usage ?? {};
  const cached = details?.cached_tokens ?? 0;
  return {
    inputTokens: prompt - cached,
    outputTokens,
    totalTokens: prompt + outputTokens,
    ...(cached > 0 && { cacheReadInputTokens: cached, cacheWriteInputTokens: 0 }),
  };
}

/** Converts the engine's whole reply to a Converse reply. */
export function converseReply(body: unknown): object {
  const { choices, usage } = v.parse(Whole, body);
  const [choice] = choices;
  const { content, reasoning_content: reasoning, tool_calls: calls } = choice?.message ?? {};
  return {
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(reasoning ? [{ reasoningContent: { reasoningText: { text: reasoning } } }] : []),
          ...(content ? [{ text: content }] : []),
          ...(calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
            toolUse: { toolUseId: id, name, input: JSON.parse(text || '{}') },
          })),
        ],
      },
    },
    stopReason: stopReasonOf(choice?.finish_reason),
    usage: usageOf(usage),
    metrics: { latencyMs: 1 },
  };
}

export interface ConverseEvent {
  readonly type: string;
  readonly body: object;
}

/** Converts the engine's stream to Converse events. Only calls have a `contentBlockStart`. */
export async function* converseEvents(events: AsyncIterable<string>): AsyncGenerator<ConverseEvent> {
  yield { type: 'messageStart', body: { role: 'assistant' } };
  let stopReason = 'end_turn';
  let usage: v.InferOutput<typeof Usage>;
  let index = -1;
  let kind = '';
  function* block(next: string): Generator<ConverseEvent> {
    if (next === kind) return;
    if (kind !== '') yield { type: 'contentBlockStop', body: { contentBlockIndex: index } };
    [kind, index] = [next, next === '' ? index : index + 1];
  }
  const delta = (piece: object) => ({
    type: 'contentBlockDelta',
    body: { contentBlockIndex: index, delta: piece, p: 'abcdefgh' },
  });
  for await (const data of events) {
    if (data === '[DONE]') break;
    const chunk = v.parse(Chunk, JSON.parse(data));
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    if (choice?.finish_reason) stopReason = stopReasonOf(choice.finish_reason);
    const { content, reasoning_content: reasoning, tool_calls: calls } = choice?.delta ?? {};
    if (reasoning) {
      yield* block('reasoning');
      yield delta({ reasoningContent: { text: reasoning } });
    }
    if (content) {
      yield* block('text');
      yield delta({ text: content });
    }
    for (const { index: call = 0, id, function: called } of calls ?? []) {
      const isNew = kind !== `call ${call}`;
      yield* block(`call ${call}`);
      if (isNew) {
        const start = { toolUse: { toolUseId: id, name: called.name } };
        yield { type: 'contentBlockStart', body: { contentBlockIndex: index, start } };
      }
      if (called.arguments) yield delta({ toolUse: { input: called.arguments } });
    }
  }
  yield* block('');
  yield { type: 'messageStop', body: { stopReason } };
  yield { type: 'metadata', body: { usage: usageOf(usage), metrics: { latencyMs: 1 } } };
}
