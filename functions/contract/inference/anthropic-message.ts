import * as v from 'valibot';
import { whole } from '../shared/fields.ts';

const stopReason = v.picklist(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']);
const absent = v.null();

/** `input_tokens` exclude the tokens that were read from a cache or written to it. */
const tokens = {
  input_tokens: whole,
  cache_creation_input_tokens: whole,
  cache_read_input_tokens: whole,
  output_tokens: whole,
  output_tokens_details: v.nullable(v.object({ thinking_tokens: whole })),
  server_tool_use: absent,
};

const Usage = v.object({
  ...tokens,
  cache_creation: absent,
  inference_geo: absent,
  service_tier: absent,
  speed: absent,
});

const TextBlock = v.object({ type: v.literal('text'), text: v.string(), citations: absent });
const ThinkingBlock = v.object({ type: v.literal('thinking'), thinking: v.string(), signature: v.string() });
const ToolUseBlock = v.object({
  type: v.literal('tool_use'),
  id: v.string(),
  name: v.string(),
  input: v.record(v.string(), v.unknown()),
  caller: v.object({ type: v.literal('direct') }),
});
const Block = v.variant('type', [TextBlock, ThinkingBlock, ToolUseBlock]);

const message = {
  id: v.string(),
  type: v.literal('message'),
  role: v.literal('assistant'),
  model: v.string(),
  container: absent,
  diagnostics: absent,
  stop_details: absent,
  stop_sequence: v.nullable(v.string()),
};

/** Response of POST /anthropic/v1/messages. Fields for features that are not served are null. */
export const AnthropicMessage = v.object({
  ...message,
  content: v.array(Block),
  stop_reason: stopReason,
  usage: Usage,
});
export type AnthropicMessage = v.InferOutput<typeof AnthropicMessage>;

/** The message at the start of a stream. Its usage contains the prompt tokens. */
const OpenedMessage = v.object({ ...message, content: v.strictTuple([]), stop_reason: absent, usage: Usage });

const Delta = v.variant('type', [
  v.object({ type: v.literal('text_delta'), text: v.string() }),
  v.object({ type: v.literal('thinking_delta'), thinking: v.string() }),
  v.object({ type: v.literal('input_json_delta'), partial_json: v.string() }),
]);

/** Events of a stream, in order. Anthropic may add others, such as `ping`. */
export const AnthropicEvent = v.variant('type', [
  v.object({ type: v.literal('message_start'), message: OpenedMessage }),
  v.object({ type: v.literal('content_block_start'), index: whole, content_block: Block }),
  v.object({ type: v.literal('content_block_delta'), index: whole, delta: Delta }),
  v.object({ type: v.literal('content_block_stop'), index: whole }),
  v.object({
    type: v.literal('message_delta'),
    delta: v.object({
      stop_reason: stopReason,
      stop_sequence: v.nullable(v.string()),
      container: absent,
      stop_details: absent,
    }),
    usage: v.object(tokens),
  }),
  v.object({ type: v.literal('message_stop') }),
]);
export type AnthropicEvent = v.InferOutput<typeof AnthropicEvent>;

/** Response of POST /anthropic/v1/messages/count_tokens. */
export const AnthropicTokenCount = v.object({ input_tokens: whole });

const date = v.nullable(v.string());

/** Response of GET /anthropic/v1/models: all chat models, on one page. */
export const AnthropicModelList = v.object({
  data: v.array(
    v.object({
      type: v.literal('model'),
      id: v.string(),
      display_name: v.string(),
      created_at: v.string(),
      max_input_tokens: whole,
      max_tokens: whole,
      lifecycle: v.picklist(['active', 'deprecated']),
      deprecated_at: date,
      retires_at: date,
      capabilities: absent,
      line: absent,
    }),
  ),
  has_more: v.literal(false),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
});
