import * as v from 'valibot';
import { decimal, integer, text, wellFormed } from '../shared/fields.ts';
import { isJsonObject } from '../shared/json.ts';
import {
  content,
  jsonSchema,
  messageList,
  refusedUnless,
  roleRule,
  samplingDefaults,
  samplingRules,
  stopSequences,
  toolList,
  typeRule,
  withoutEffect,
} from './inference-fields.ts';

/** Anthropic allows longer tool names than OpenAI's function names. */
const toolName = v.pipe(text(128), v.regex(/^[A-Za-z0-9_.-]+$/, 'must contain only letters, digits, _, . and -'));
const callId = text(256);
const boolean = v.boolean('must be true or false');

/** Names the first invalid block. By default, Valibot reports only that the union does not match. */
function faultOf({ issues }: v.BaseIssue<unknown>): string {
  const fault = issues?.find(({ path }) => path);
  if (!fault) return 'must be well-formed Unicode or a list of blocks';
  const isMissing = fault.type === 'object' && fault.expected !== 'Object';
  return `has an invalid block: ${v.getDotPath(fault)} ${isMissing ? 'is required' : fault.message}`;
}

const TextBlock = v.object(
  { type: v.literal('text', 'must be text; images, documents and other blocks are not supported'), text: content },
  'must be an object',
);

/** Text or blocks of text. `cache_control` and `citations` are ignored. */
const Text = v.union(
  [
    content,
    v.pipe(
      v.array(TextBlock),
      v.transform((blocks) => joined(blocks.map((block) => block.text))),
    ),
  ],
  faultOf,
);

/** Joins text blocks by line breaks, like vLLM. */
const joined = (texts: readonly string[]): string => texts.filter(Boolean).join('\n');

const ToolUse = v.object(
  {
    type: v.literal('tool_use'),
    id: callId,
    name: toolName,
    input: v.pipe(v.custom<Record<string, unknown>>(isJsonObject, 'must be an object'), wellFormed()),
  },
  'must be an object',
);

const ToolResult = v.object(
  {
    type: v.literal('tool_result'),
    tool_use_id: callId,
    content: v.nullish(Text, ''),
    is_error: v.nullish(boolean, false),
  },
  'must be an object',
);

/** Reasoning of an earlier response. It is not passed to the model. */
const Thinking = v.object({ type: v.picklist(['thinking', 'redacted_thinking']) });

const UserBlock = v.variant(
  'type',
  [TextBlock, ToolResult],
  'must be text or tool_result; images, documents and blocks of server tools are not supported',
);
const AssistantBlock = v.variant(
  'type',
  [TextBlock, ToolUse, Thinking],
  'must be text, tool_use, thinking or redacted_thinking; blocks of server tools are not supported',
);

/** Text is equivalent to one block of text. */
const blocksOf = <const Block extends v.GenericSchema>(block: Block) =>
  v.union(
    [
      v.pipe(
        content,
        v.transform((only) => [{ type: 'text' as const, text: only }]),
      ),
      v.array(block),
    ],
    faultOf,
  );

const Message = v.variant(
  'role',
  [
    v.object({ role: v.literal('user'), content: blocksOf(UserBlock) }),
    v.object({ role: v.literal('assistant'), content: blocksOf(AssistantBlock) }),
    v.object({ role: v.literal('system'), content: Text }),
  ],
  roleRule('user, assistant or system'),
);

/** A custom tool (no type, or `custom`), or an Anthropic tool, which is omitted. */
const Tool = v.pipe(
  v.object(
    {
      type: v.nullish(v.pipe(toolName, v.maxLength(64, 'must have at most 64 characters'))),
      name: v.nullish(toolName),
      description: v.nullish(content),
      input_schema: v.nullish(jsonSchema),
    },
    'must be an object',
  ),
  v.forward(
    v.check((tool) => !isCustom(tool) || typeof tool.name === 'string', 'is required'),
    ['name'],
  ),
  v.forward(
    v.check((tool) => !isCustom(tool) || Boolean(tool.input_schema), 'is required'),
    ['input_schema'],
  ),
);

/** Tools of other types run at Anthropic, or have no schema for the model. */
export const isCustom = ({ type }: { readonly type?: string | null | undefined }): boolean =>
  type === undefined || type === null || type === 'custom';

const disabling = { disable_parallel_tool_use: v.nullish(boolean, false) };
const ToolChoice = v.variant(
  'type',
  [
    v.object({ type: v.literal('auto'), ...disabling }),
    v.object({ type: v.literal('any'), ...disabling }),
    v.object({ type: v.literal('tool'), name: toolName, ...disabling }),
    v.object({ type: v.literal('none') }),
  ],
  typeRule('auto, any, tool or none'),
);

const anything = v.unknown();
const OutputFormat = v.object(
  { type: v.literal('json_schema', 'must be json_schema'), schema: jsonSchema },
  'must be an object',
);

/** Fields of both operations. */
const prompt = {
  model: text(256),
  messages: messageList(Message),
  system: v.nullish(Text),
  tools: v.nullish(toolList(Tool)),
  tool_choice: v.nullish(ToolChoice),
  thinking: v.nullish(
    v.object(
      {
        type: v.picklist(
          ['enabled', 'adaptive', 'between_tools', 'disabled'],
          'must be enabled, adaptive, between_tools or disabled',
        ),
        display: v.nullish(v.string('must be a string')),
      },
      'must be an object',
    ),
  ),
  output_config: v.nullish(v.object({ format: v.nullish(OutputFormat) }, 'must be an object')),
  mcp_servers: refusedUnless(
    '`[]`',
    v.nullish(v.pipe(v.array(anything, 'must be a list'), v.maxLength(0, 'must be empty; MCP is not supported'))),
  ),
  output_format: refusedUnless('`null`', v.optional(v.null('is not supported; use output_config.format'))),
  context_management: v.optional(withoutEffect(anything)),
};

const unsupported = (instead = '') => refusedUnless('`null`', v.optional(v.null(`is not supported${instead}`)));

const Body = v.object(
  {
    ...prompt,
    max_tokens: integer(1),
    stop_sequences: v.nullish(stopSequences, []),
    temperature: v.nullish(decimal(0, 1), samplingDefaults.temperature),
    top_p: v.nullish(samplingRules.top_p, samplingDefaults.top_p),
    top_k: v.nullish(samplingRules.top_k, samplingDefaults.top_k),
    stream: v.nullish(samplingRules.stream, false),
    metadata: v.optional(withoutEffect(anything)),
    service_tier: v.optional(withoutEffect(anything)),
    cache_control: v.optional(withoutEffect(anything)),
    compaction: v.optional(withoutEffect(anything)),
    speed: v.optional(withoutEffect(anything)),
    diagnostics: v.optional(withoutEffect(anything)),
    user_profile_id: v.optional(withoutEffect(anything)),
    workspace_id: v.optional(withoutEffect(anything)),
    billing_policy: v.optional(withoutEffect(anything)),
    fallback_credit_token: v.optional(withoutEffect(anything)),
    container: unsupported(),
    fallbacks: unsupported(),
    inference_geo: unsupported(),
    thread: unsupported('; send the messages'),
  },
  'must be a JSON object',
);

type Body = v.InferOutput<typeof Body>;
export type AnthropicMessageParam = Body['messages'][number];

/**
 * Body of POST /anthropic/v1/messages. Unknown fields are ignored and never forwarded. Null is equivalent to an absent
 * field.
 */
export const AnthropicRequest = v.pipe(
  Body,
  v.forward(v.check(respondsToEarlierCalls, 'must contain the tool_use with the same id before each tool_result'), [
    'messages',
  ]),
  v.forward(
    v.check(({ messages }) => messages.at(-1)?.role !== 'assistant', 'must not end with an assistant message'),
    ['messages'],
  ),
  v.forward(v.check(choosesServedTool, 'must match a tool with an input_schema; other tools are not served'), [
    'tool_choice',
  ]),
);
export type AnthropicRequest = v.InferOutput<typeof AnthropicRequest>;

/** Body of POST /anthropic/v1/messages/count_tokens. */
export const AnthropicPrompt = v.object(prompt, 'must be a JSON object');
export type AnthropicPrompt = v.InferOutput<typeof AnthropicPrompt>;

function respondsToEarlierCalls({ messages }: Body): boolean {
  const callIds = new Set<string>();
  return messages.every((message) => {
    if (message.role === 'system') return true;
    for (const block of message.content) {
      if (block.type === 'tool_use') callIds.add(block.id);
      if (block.type === 'tool_result' && !callIds.has(block.tool_use_id)) return false;
    }
    return true;
  });
}

function choosesServedTool({ tools, tool_choice: choice }: Body): boolean {
  const served = (tools ?? []).filter(isCustom);
  if (choice?.type === 'any') return served.length > 0;
  return choice?.type !== 'tool' || served.some(({ name }) => name === choice.name);
}
