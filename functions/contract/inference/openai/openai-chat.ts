import * as v from 'valibot';
import { integer, text, whole } from '../../shared/fields.ts';
import { limits } from '../../shared/limits.ts';
import {
  content,
  FunctionCall,
  FunctionChoice,
  FunctionDefinition,
  Functions,
  functionName,
  jsonSchema,
  messageList,
  modelFor,
  roleRule,
  TokenUsage,
} from '../inference-fields.ts';
import { finishReasons } from '../requests.ts';
import { nullableSampling, single } from './openai-fields.ts';

const TextPart = v.variant('type', [
  v.object({ type: v.literal('text'), text: content }),
  v.pipe(
    v.object({ type: v.literal('refusal'), refusal: content }),
    v.transform(({ refusal }) => ({ type: 'text' as const, text: refusal })),
  ),
]);

/** Text, also in parts; parts become lines, as vLLM joins them. */
const Text = v.union(
  [
    content,
    v.pipe(
      v.array(TextPart),
      v.minLength(1),
      v.transform((parts) => parts.map((part) => part.text).join('\n')),
    ),
  ],
  'must be well-formed Unicode or a list of text parts; images, audio and files are not supported',
);

const callId = text(256);
const ToolCall = v.object(
  {
    id: callId,
    type: v.optional(v.literal('function', 'must be function'), 'function'),
    function: FunctionCall,
  },
  'must be an object',
);

const Message = v.variant(
  'role',
  [
    v.object({ role: v.literal('user'), content: Text }),
    v.object({ role: v.literal('system'), content: Text }),
    v.pipe(
      v.object({ role: v.literal('developer'), content: Text }),
      v.transform((message) => ({ ...message, role: 'system' as const })),
    ),
    v.pipe(
      v.object({
        role: v.literal('assistant'),
        content: v.nullish(Text),
        tool_calls: v.nullish(v.array(ToolCall, 'must be a list')),
        function_call: v.nullish(FunctionCall),
      }),
      v.check(
        ({ content: text, tool_calls: calls, function_call: call }) =>
          typeof text === 'string' || Boolean(calls?.length) || Boolean(call),
        'must have content unless it has tool_calls or a function_call',
      ),
    ),
    v.object({ role: v.literal('tool'), tool_call_id: callId, content: Text }),
    v.object({ role: v.literal('function'), name: functionName, content: Text }),
  ],
  roleRule('system, developer, user, assistant, tool or function'),
);

const Tool = v.object(
  { type: v.literal('function', 'must be function; other tools are not supported'), function: FunctionDefinition },
  'must be an object',
);

const ToolChoice = v.union(
  [
    v.picklist(['none', 'auto', 'required']),
    v.object({ type: v.literal('function'), function: v.object({ name: functionName }) }),
  ],
  'must be none, auto, required or an object with the name of a function',
);

const ResponseFormat = v.variant(
  'type',
  [
    v.object({ type: v.literal('text') }),
    v.object({ type: v.literal('json_object') }),
    v.object({
      type: v.literal('json_schema'),
      json_schema: v.object(
        {
          name: functionName,
          description: v.nullish(content),
          schema: jsonSchema,
          strict: v.nullish(v.boolean('must be true or false')),
        },
        'must be an object',
      ),
    }),
  ],
  'must be an object with a type of text, json_object or json_schema',
);

const Body = v.object(
  {
    model: modelFor('chat'),
    messages: messageList(Message),
    max_completion_tokens: v.nullish(integer(1)),
    max_tokens: v.nullish(integer(1)),
    ...nullableSampling,
    ...single,
    tools: v.nullish(
      v.pipe(
        v.array(Tool, 'must be a list'),
        v.maxLength(limits.functions, `must have at most ${limits.functions} tools`),
      ),
    ),
    tool_choice: v.nullish(ToolChoice),
    parallel_tool_calls: v.nullish(v.boolean('must be true or false')),
    functions: v.nullish(Functions),
    function_call: v.nullish(FunctionChoice),
    response_format: v.nullish(ResponseFormat),
  },
  'must be a JSON object',
);
type Body = v.InferOutput<typeof Body>;
export type OpenAiMessage = Body['messages'][number];

/** Body of POST /openai/v1/chat/completions; unknown fields are ignored and never forwarded, null is as good as absent. */
export const OpenAiChatRequest = v.pipe(
  Body,
  v.forward(v.check(respondsToEarlierCalls, 'must have, before each tool message, the tool call that it responds to'), [
    'messages',
  ]),
  v.forward(
    v.check(({ tools, functions }) => !tools?.length || !functions?.length, 'must not be sent together with functions'),
    ['tools'],
  ),
  v.forward(v.check(choosesOfferedTool, 'must name one of the tools'), ['tool_choice']),
  v.forward(v.check(choosesOfferedFunction, 'must name one of the functions'), ['function_call']),
);
export type OpenAiChatRequest = v.InferOutput<typeof OpenAiChatRequest>;

function respondsToEarlierCalls({ messages }: Body): boolean {
  const made = new Set<string>();
  return messages.every((message) => {
    if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) made.add(id);
    return message.role !== 'tool' || made.has(message.tool_call_id);
  });
}

function choosesOfferedTool({ tools, tool_choice: choice }: Body): boolean {
  if (choice === 'required') return Boolean(tools?.length);
  if (typeof choice !== 'object' || choice === null) return true;
  return (tools ?? []).some(({ function: offered }) => offered.name === choice.function.name);
}

function choosesOfferedFunction({ functions, function_call: choice }: Body): boolean {
  if (typeof choice !== 'object' || choice === null) return true;
  return (functions ?? []).some((offered) => offered.name === choice.name);
}

const Called = v.object({ name: v.string(), arguments: v.string() });

/** A bare response of POST /openai/v1/chat/completions. */
export const OpenAiChatCompletion = v.object({
  id: v.string(),
  object: v.literal('chat.completion'),
  created: whole,
  model: v.string(),
  choices: v.array(
    v.object({
      index: whole,
      message: v.object({
        role: v.literal('assistant'),
        content: v.nullable(v.string()),
        refusal: v.null(),
        tool_calls: v.exactOptional(
          v.array(v.object({ id: v.string(), type: v.literal('function'), function: Called })),
        ),
        function_call: v.exactOptional(Called),
      }),
      logprobs: v.null(),
      finish_reason: v.picklist([...finishReasons, 'tool_calls']),
    }),
  ),
  usage: TokenUsage,
});
export type OpenAiChatCompletion = v.InferOutput<typeof OpenAiChatCompletion>;
