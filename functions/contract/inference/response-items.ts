import * as v from 'valibot';
import { text, whole } from '../shared/fields.ts';
import { content, functionName, withoutEffect } from './inference-fields.ts';

/*
 * Items and responses of the Responses API. An item of a request has optional ids and states; an item of a response
 * always has them.
 */

const textKinds = ['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text'] as const;
const mediaKinds = ['input_image', 'input_file', 'input_audio', 'input_video', 'image', 'file'] as const;

const Part = v.variant('type', [
  v.object({ type: v.picklist(textKinds), text: content }),
  v.object({ type: v.literal('refusal'), refusal: content }),
  v.pipe(
    v.object({ type: v.picklist(mediaKinds) }),
    v.metadata({ 'x-use': 'refused', 'x-unless': 'text', description: 'Refused: only text is served.' }),
  ),
]);

const Text = v.union([content, v.array(Part)], 'must be well-formed Unicode or a list of text parts');

const itemId = v.nullish(text(256));
const status = v.nullish(withoutEffect(text(32)));
const callId = text(64);

const about = { id: itemId, status };

const Message = v.object({
  type: v.optional(v.literal('message'), 'message'),
  role: v.picklist(['user', 'assistant', 'system', 'developer'], 'must be user, assistant, system or developer'),
  content: Text,
  ...about,
});

const FunctionCall = v.object({
  type: v.literal('function_call'),
  call_id: callId,
  name: functionName,
  arguments: content,
  namespace: v.nullish(functionName),
  ...about,
});

const FunctionCallOutput = v.object({
  type: v.literal('function_call_output'),
  call_id: callId,
  output: Text,
  ...about,
});

/** Reasoning of an earlier response. It is kept, but not sent to the model. */
const Reasoning = v.object({
  type: v.literal('reasoning'),
  summary: v.nullish(v.array(Part)),
  content: v.nullish(v.array(Part)),
  encrypted_content: v.nullish(withoutEffect(content)),
  ...about,
});

/** The summary of an earlier conversation, of POST /openai/v1/responses/compact. */
const Compaction = v.object({ type: v.literal('compaction'), encrypted_content: content, id: itemId });

/** An output item of a stored response. */
const ItemReference = v.object({ type: v.literal('item_reference'), id: text(256) });

export const InputItem = v.variant(
  'type',
  [Message, FunctionCall, FunctionCallOutput, Reasoning, Compaction, ItemReference],
  (issue) =>
    messageOfIssue(
      issue,
      'must be a message, function_call, function_call_output, reasoning, compaction or item_reference',
    ),
);
export type InputItem = v.InferOutput<typeof InputItem>;

/**
 * Names the field of a list that is wrong: Valibot reports only that none of a union's schemas fits. `otherwise` is the
 * rule of the union itself.
 */
export function messageOfIssue(issue: v.BaseIssue<unknown>, otherwise: string): string {
  if (!Array.isArray(issue.input)) return otherwise;
  const first = issue.issues?.find(({ path }) => path !== undefined);
  if (!first) return otherwise;
  const isMissing = first.type === 'object' && first.expected !== 'Object';
  return `has an invalid item: ${v.getDotPath(first)} ${isMissing ? 'is required' : first.message}`;
}

const states = v.picklist(['in_progress', 'completed', 'incomplete']);

export const OutputTextPart = v.object({
  type: v.literal('output_text'),
  text: v.string(),
  annotations: v.array(v.never()),
  logprobs: v.array(v.never()),
});

const InputTextPart = v.object({ type: v.literal('input_text'), text: v.string() });

export const SummaryPart = v.object({ type: v.literal('summary_text'), text: v.string() });

const OutputMessage = v.object({
  type: v.literal('message'),
  id: v.string(),
  status: states,
  role: v.literal('assistant'),
  content: v.array(OutputTextPart),
});

const OutputCall = v.object({
  type: v.literal('function_call'),
  id: v.string(),
  status: states,
  call_id: v.string(),
  name: v.string(),
  namespace: v.exactOptional(v.string()),
  arguments: v.string(),
});

/** The reasoning of the model, as a summary. */
const OutputReasoning = v.object({
  type: v.literal('reasoning'),
  id: v.string(),
  status: states,
  summary: v.array(SummaryPart),
});

export const OutputItem = v.variant('type', [OutputMessage, OutputCall, OutputReasoning]);
export type OutputItem = v.InferOutput<typeof OutputItem>;

/** A listed item of a request: every item has an id, and every content is a list of parts. */
export const ListedItem = v.variant('type', [
  v.object({
    type: v.literal('message'),
    id: v.string(),
    status: states,
    role: v.picklist(['user', 'assistant', 'system', 'developer']),
    content: v.array(v.variant('type', [InputTextPart, OutputTextPart])),
  }),
  OutputCall,
  v.object({
    type: v.literal('function_call_output'),
    id: v.string(),
    status: states,
    call_id: v.string(),
    output: v.string(),
  }),
  OutputReasoning,
  v.object({ type: v.literal('compaction'), id: v.string(), encrypted_content: v.string() }),
]);
export type ListedItem = v.InferOutput<typeof ListedItem>;

const ResponseUsage = v.object({
  input_tokens: whole,
  input_tokens_details: v.object({ cached_tokens: whole, cache_write_tokens: whole }),
  output_tokens: whole,
  output_tokens_details: v.object({ reasoning_tokens: whole }),
  total_tokens: whole,
});

const ListedFunction = v.object({
  type: v.literal('function'),
  name: v.string(),
  description: v.nullable(v.string()),
  parameters: v.nullable(v.record(v.string(), v.unknown())),
  strict: v.nullable(v.boolean()),
});

const ChosenFunction = v.object({ type: v.literal('function'), name: v.string() });

const ListedFormat = v.variant('type', [
  v.object({ type: v.literal('text') }),
  v.object({ type: v.literal('json_object') }),
  v.object({
    type: v.literal('json_schema'),
    name: v.string(),
    description: v.nullable(v.string()),
    schema: v.record(v.string(), v.unknown()),
    strict: v.boolean(),
  }),
]);

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export const reasoningSummaries = ['auto', 'concise', 'detailed'] as const;

/** Every field is present, even if it is null. Fields of features that are not served have their default. */
export const ResponseObject = v.object({
  id: v.string(),
  object: v.literal('response'),
  created_at: whole,
  completed_at: v.nullable(whole),
  status: v.picklist(['in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: v.literal(false),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  incomplete_details: v.nullable(v.object({ reason: v.picklist(['max_output_tokens', 'content_filter']) })),
  instructions: v.nullable(v.string()),
  max_output_tokens: v.nullable(whole),
  max_tool_calls: v.null(),
  model: v.string(),
  output: v.array(OutputItem),
  parallel_tool_calls: v.boolean(),
  previous_response_id: v.nullable(v.string()),
  prompt_cache_key: v.nullable(v.string()),
  reasoning: v.object({
    effort: v.nullable(v.picklist(reasoningEfforts)),
    summary: v.nullable(v.picklist(reasoningSummaries)),
  }),
  safety_identifier: v.nullable(v.string()),
  service_tier: v.literal('default'),
  store: v.pipe(v.boolean(), v.description('False also if the response could not be stored.')),
  temperature: v.number(),
  text: v.object({ format: ListedFormat, verbosity: v.picklist(['low', 'medium', 'high']) }),
  tool_choice: v.union([
    v.picklist(['none', 'auto', 'required']),
    ChosenFunction,
    v.object({
      type: v.literal('allowed_tools'),
      mode: v.picklist(['auto', 'required']),
      tools: v.array(ChosenFunction),
    }),
  ]),
  tools: v.array(ListedFunction),
  top_logprobs: v.literal(0),
  top_p: v.number(),
  presence_penalty: v.number(),
  frequency_penalty: v.number(),
  truncation: v.picklist(['auto', 'disabled']),
  usage: v.nullable(ResponseUsage),
  user: v.nullable(v.string()),
  metadata: v.record(v.string(), v.string()),
  access_programs: v.null(),
});
export type ResponseObject = v.InferOutput<typeof ResponseObject>;

export const DeletedResponse = v.object({ id: v.string(), object: v.literal('response'), deleted: v.literal(true) });

export const InputItemList = v.object({
  object: v.literal('list'),
  data: v.array(ListedItem),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
  has_more: v.boolean(),
});

export const CompactedResponse = v.object({
  id: v.string(),
  object: v.literal('response.compaction'),
  created_at: whole,
  output: v.array(v.object({ type: v.literal('compaction'), id: v.string(), encrypted_content: v.string() })),
  usage: ResponseUsage,
});
export type CompactedResponse = v.InferOutput<typeof CompactedResponse>;
