import * as v from 'valibot';
import {
  content as anyContent,
  FunctionCall,
  functionName,
  samplingRules,
  TokenUsage,
} from '../inference/inference-fields.ts';
import { instant, pageSize, text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import { AgentPath, page } from './agents.ts';

export const ConversationPath = v.object({ ...AgentPath.entries, conversationId: text(64) });
export const ConversationQuery = v.object(page('cnv'));
export const MessageQuery = v.object({
  cursor: v.optional(v.pipe(text(64), v.regex(/^msg_\d{10}$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(pageSize, '50'),
});

/** Maximum characters of a message: with four bytes each, they fit in a DynamoDB item. */
const result = v.pipe(
  anyContent,
  v.check((value) => !hasMore(value), `must have at most ${limits.messageCharacters} characters`),
  v.metadata({ maxLength: limits.messageCharacters }),
);

const FunctionResult = v.object({ name: functionName, content: result }, 'must be an object');

export const NewMessage = v.pipe(
  v.object(
    {
      content: v.optional(text(limits.messageCharacters)),
      functionResults: v.optional(
        v.pipe(
          v.array(FunctionResult, 'must be a list'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(1, 'must have one result, because a message has one call'),
        ),
      ),
      stream: v.optional(samplingRules.stream, false),
    },
    'must be a JSON object',
  ),
  v.forward(
    v.check(
      ({ content, functionResults }) => content !== undefined || functionResults !== undefined,
      'is required without functionResults',
    ),
    ['content'],
  ),
  v.forward(
    v.check(
      ({ content, functionResults }) => content === undefined || functionResults === undefined,
      'must not be sent together with content',
    ),
    ['functionResults'],
  ),
);
export type NewMessage = v.InferOutput<typeof NewMessage>;

export const conversationStatuses = ['idle', 'running', 'awaiting_function'] as const;

const described = {
  id: v.string(),
  agentId: v.string(),
  status: v.picklist(conversationStatuses),
  messageCount: v.pipe(whole, v.description('Number of messages so far, including expired ones.')),
  createdAt: instant,
  updatedAt: instant,
  expiresAt: v.pipe(instant, v.description('When it is deleted, unless a message is sent before.')),
};

export const Conversation = v.object(described);
/** Newest first. */
export const ConversationList = v.object({ items: v.array(Conversation), nextCursor: v.nullable(v.string()) });

const Source = v.object({
  documentId: v.string(),
  name: v.string(),
  start: v.pipe(whole, v.description('Start of the passage in the text of its document, in code points.')),
  end: whole,
  score: v.pipe(v.number(), v.description('Cosine similarity to the message.')),
});

const Context = v.object({
  window: v.pipe(whole, v.description("Tokens of the model's context.")),
  used: v.pipe(whole, v.description('Tokens that the model was sent, by our count.')),
  droppedMessages: v.pipe(whole, v.description('Earlier messages that were left out.')),
  summarized: v.pipe(v.boolean(), v.description('Whether a summary of them was sent.')),
});

const role = v.picklist(['user', 'assistant', 'function']);

/** A stored message. Only replies have `sources` and `context`. */
export const KeptMessage = v.object({
  id: v.string(),
  role,
  content: v.string(),
  name: v.exactOptional(v.string()),
  function_call: v.exactOptional(v.object({ name: v.string(), arguments: v.string() })),
  sources: v.exactOptional(v.array(Source)),
  context: v.exactOptional(Context),
  agentVersion: v.exactOptional(v.pipe(whole, v.description('The version of the agent that replied.'))),
  createdAt: instant,
});

/** Pages of messages, newest first. */
export const ConversationMessages = v.object({
  ...described,
  summary: v.pipe(v.nullable(v.string()), v.description('Summary of the messages that were left out of the context.')),
  messages: v.object({ items: v.array(KeptMessage), nextCursor: v.nullable(v.string()) }),
});

const turnStatuses = ['completed', 'requires_action'] as const;

const turn = {
  id: v.string(),
  status: v.pipe(
    v.picklist(turnStatuses),
    v.description('`requires_action`: the model calls a function; send its result as the next message.'),
  ),
  sources: v.array(Source),
  context: Context,
  credits: v.number(),
  usage: TokenUsage,
};
const called = v.exactOptional(FunctionCall);

export const Turn = v.object({
  ...turn,
  message: v.object({ role: v.literal('assistant'), content: v.string(), function_call: called }),
});
export type Turn = v.InferOutput<typeof Turn>;

/** A piece of the reply, or the last chunk: the turn without the text. */
export const TurnChunk = v.union([
  v.object({
    delta: v.object({
      role: v.exactOptional(v.literal('assistant')),
      content: v.exactOptional(v.string()),
      function_call: v.exactOptional(
        v.object({ name: v.exactOptional(v.string()), arguments: v.exactOptional(v.string()) }),
      ),
    }),
  }),
  v.object({ ...turn, message: v.object({ role: v.literal('assistant'), function_call: called }) }),
]);

/** Code points. A text has at most as many as UTF-16 units. */
function hasMore(value: string): boolean {
  if (value.length <= limits.messageCharacters) return false;
  let count = 0;
  for (const _ of value) count += 1;
  return count > limits.messageCharacters;
}
