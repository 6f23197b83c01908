import * as v from 'valibot';
import { FunctionDefinition, Functions, modelFor, samplingRules } from '../inference/inference-fields.ts';
import { instant, integer, pageSize, text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';

const body = 'must be a JSON object';

/** Treatment of messages that exceed the model's context (docs/agents.md#the-context). */
export const truncations = ['drop', 'summarize', 'error'] as const;

const functions = v.pipe(
  Functions,
  v.check(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    'must not contain two functions with the same name',
  ),
  v.check(
    (list) => byteLength(JSON.stringify(list)) <= limits.agentFunctionBytes,
    `must have at most ${limits.agentFunctionBytes} bytes as JSON`,
  ),
);

/** The smallest positive number in DynamoDB. Models treat anything smaller as 0. */
const minTemperature = 1e-100;

const fields = {
  name: text(64),
  model: modelFor('chat'),
  instructions: v.pipe(text(limits.agentInstructions, 0), v.description('The system message of every turn.')),
  functions,
  temperature: v.pipe(
    samplingRules.temperature,
    v.transform((value) => (value < minTemperature ? 0 : value)),
  ),
  maxTokens: v.pipe(
    v.nullable(integer(1)),
    v.description('Maximum tokens of a reply; null: 1024, or fewer if the context has less room.'),
  ),
  truncation: v.pipe(
    v.picklist(truncations, 'must be drop, summarize or error'),
    v.description(
      'What happens to the oldest messages if the context has no room: `drop` leaves them out, `summarize` replaces them with a summary, `error` refuses the new message.',
    ),
  ),
  retentionDays: v.pipe(
    integer(1, limits.maxRetentionDays),
    v.description('Days for which a message is kept, and a conversation after its last message.'),
  ),
};

export const NewAgent = v.object(
  {
    name: fields.name,
    model: fields.model,
    instructions: v.optional(fields.instructions, ''),
    functions: v.optional(fields.functions, []),
    temperature: v.optional(fields.temperature, 1),
    maxTokens: v.optional(fields.maxTokens, null),
    truncation: v.optional(fields.truncation, 'drop'),
    retentionDays: v.optional(fields.retentionDays, 30),
  },
  body,
);
export type NewAgent = v.InferOutput<typeof NewAgent>;

export const AgentChange = v.partial(v.object(fields, body));
export type AgentChange = v.InferOutput<typeof AgentChange>;

export const AgentPath = v.object({ id: text(64) });

/** `cursor` is the `nextCursor` of the previous page. */
export const page = (prefix: string) => ({
  cursor: v.optional(
    v.pipe(text(64), v.regex(new RegExp(`^${prefix}_[0-9A-Za-z]+$`), 'must be the nextCursor of the previous page')),
  ),
  limit: v.optional(pageSize, '50'),
});
export const AgentQuery = v.object(page('agt'));

export const Agent = v.object({
  id: v.string(),
  name: v.string(),
  model: v.string(),
  instructions: v.string(),
  functions: v.array(FunctionDefinition),
  temperature: v.number(),
  maxTokens: v.nullable(whole),
  truncation: v.picklist(truncations),
  retentionDays: whole,
  version: v.pipe(whole, v.description('1 when it is created; each change increases it.')),
  chunks: v.pipe(whole, v.description('Number of chunks of all its documents.')),
  createdAt: instant,
  updatedAt: instant,
});

/** Newest first. */
export const AgentList = v.object({ items: v.array(Agent), nextCursor: v.nullable(v.string()) });

/** UTF-8 bytes. */
function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}
