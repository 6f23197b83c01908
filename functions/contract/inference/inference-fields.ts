import * as v from 'valibot';
import type { Capability } from '../offer/offer.ts';
import { decimal, integer, text, wellFormed, whole } from '../shared/fields.ts';
import { isJsonObject } from '../shared/json.ts';
import { limits } from '../shared/limits.ts';
import { findModel, isCallable, modelNamed, models, phaseOf } from './models.ts';

/** Text for a model. It must be encodable as UTF-8, so it cannot contain a lone surrogate. */
export const content = v.pipe(v.string('must be a string'), wellFormed());
export const nonEmpty = v.pipe(content, v.minLength(1, 'must not be empty'));
export const functionName = v.pipe(
  text(64),
  v.regex(/^[A-Za-z0-9_.-]+$/, 'must contain only letters, digits, _, . and -'),
);

/** "A, B or C". Joined by hand, because the first `Intl` object of a process takes longer to load than all schemas. */
const alternatives = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ');

/** Name of a model. The error lists the few valid names. A retired model is valid here; the call returns 404. */
export function modelFor(capability: Capability) {
  const fitting = models.filter((model) => model.capabilities.includes(capability));
  const names = fitting.flatMap(({ id, aliases }) => [id, ...aliases]);
  const message = (): string => {
    const ids = fitting.filter((model) => isCallable(model)).map(({ id }) => id);
    if (ids.length === 0) return `No model of this service supports ${capability}.`;
    return `must name a model for ${capability}: ${alternatives(ids)}`;
  };
  return v.pipe(
    v.picklist(names, message),
    v.check((name) => !isUpcoming(name), message),
    v.transform((name) => findModel(name, capability)?.id ?? name),
  );
}

function isUpcoming(name: string): boolean {
  const model = modelNamed(name);
  return model !== undefined && phaseOf(model) === 'upcoming';
}

export const FunctionCall = v.object({ name: functionName, arguments: content }, 'must be an object');

/** Forwarded unchanged. */
export const jsonSchema = v.pipe(
  v.custom<Record<string, unknown>>(isJsonObject, 'must be a JSON schema object'),
  wellFormed(),
);

export const FunctionDefinition = v.object(
  {
    name: functionName,
    description: v.optional(content),
    parameters: v.optional(jsonSchema),
  },
  'must be an object',
);

export type FunctionDefinition = v.InferOutput<typeof FunctionDefinition>;

/** Functions or tools of a request. */
const functionList = <const F extends v.GenericSchema>(item: F, noun: 'functions' | 'tools') =>
  v.pipe(
    v.array(item, 'must be a list'),
    v.maxLength(limits.functions, `must have at most ${limits.functions} ${noun}`),
  );

export const toolList = <const T extends v.GenericSchema>(tool: T) => functionList(tool, 'tools');

export const Functions = functionList(FunctionDefinition, 'functions');

/** An output format of a JSON schema, as OpenAI's clients send it. */
export const schemaFormat = {
  name: functionName,
  description: v.nullish(content),
  schema: jsonSchema,
  strict: v.nullish(v.boolean('must be true or false')),
};

export const FunctionChoice = v.union(
  [v.picklist(['none', 'auto']), v.object({ name: functionName })],
  'must be none, auto or an object with the name of a function',
);

/** Error for a message that is not an object or has an unknown role. */
export const roleRule =
  (roles: string) =>
  ({ expected }: v.VariantIssue): string =>
    expected === 'Object' ? 'must be an object with a role' : `must be ${roles}`;

/** Error for a variant that is not an object or has an unknown type. */
export const typeRule =
  (types: string) =>
  ({ expected }: v.VariantIssue): string =>
    expected === 'Object' ? `must be an object with a type of ${types}` : `must be ${types}`;

export const messageList = <const M extends v.GenericSchema>(message: M) =>
  v.pipe(
    v.array(message, 'must be a list'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(limits.messages, `must have at most ${limits.messages} messages`),
  );

const stopSequence = text(limits.stopSequenceCharacters);
export const stopSequences = v.pipe(
  v.array(stopSequence, 'must be a list'),
  v.maxLength(limits.stopSequences, `must have at most ${limits.stopSequences} sequences`),
);

/** Limits and defaults of the sampling parameters (docs/specification.md#post-chatcompletions). */
export const samplingRules = {
  temperature: v.pipe(
    decimal(0, 2),
    v.description('Sampling temperature: higher values are more random; 0 always selects the most likely token.'),
  ),
  top_p: v.pipe(
    decimal(0, 1),
    v.description('Nucleus sampling: samples from the most likely tokens that make up this share of the probability.'),
  ),
  top_k: v.pipe(integer(1), v.description('Samples from this many of the most likely tokens.')),
  penalty: decimal(-2, 2),
  stop: v.union(
    [stopSequence, stopSequences],
    `must be well-formed Unicode of 1 to ${limits.stopSequenceCharacters} characters, or a list of at most ${limits.stopSequences} such strings`,
  ),
  stream: v.pipe(v.boolean('must be true or false'), v.description('Streams the response as server-sent events.')),
};
export const samplingDefaults = { temperature: 1, top_p: 1, top_k: 50, penalty: 0 } as const;

export const TokenUsage = v.object({
  prompt_tokens: whole,
  completion_tokens: whole,
  total_tokens: whole,
  prompt_tokens_details: v.exactOptional(
    v.pipe(v.object({ cached_tokens: whole }), v.description('Present if the model reports cached tokens.')),
  ),
});

/** OpenAI's usage. Details are present if the model reports them. */
export const DetailedUsage = v.object({
  ...TokenUsage.entries,
  completion_tokens_details: v.exactOptional(v.object({ reasoning_tokens: whole })),
});

/*
 * Marks of request fields for docs/openapi.json and the table in docs/guides/openai-sdks.md. A field without a mark is
 * supported. A literal needs no mark: every other value is refused.
 */

/** Marks a field that is validated and has no effect on the response. */
export const withoutEffect = <const S extends v.GenericSchema>(schema: S) =>
  v.pipe(schema, v.metadata({ 'x-use': 'without effect', description: 'Accepted without effect.' }));

/** Marks a field that is refused by name unless it has one of the values, as the docs show them: '`1` or `2`'. */
export const refusedUnless = <const S extends v.GenericSchema>(values: string, schema: S) =>
  v.pipe(schema, v.metadata({ 'x-use': 'refused', 'x-unless': values, description: `Refused unless ${values}.` }));
