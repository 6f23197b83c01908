import * as v from 'valibot';
import { integer, text } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import {
  content,
  functionName,
  jsonSchema,
  modelFor,
  nonEmpty,
  refusedUnless,
  samplingDefaults,
  samplingRules,
  schemaFormat,
  toolList,
  typeRule,
  withoutEffect,
} from './inference-fields.ts';
import { InputItem, messageOfIssue, reasoningEfforts, reasoningSummaries } from './response-items.ts';

/*
 * Requests of the Responses API (Open Responses, version 2026-04-24). Null is equivalent to an absent field. Unknown
 * fields are ignored and never forwarded.
 */

const { temperature, top_p, penalty, stream } = samplingRules;

const flag = v.boolean('must be true or false');

const ItemList = v.pipe(
  v.array(InputItem, 'must be a list'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(limits.messages, `must have at most ${limits.messages} items`),
  v.check((items) => items.every(isOfText), 'must contain only text; images, audio and files are not supported'),
);

/** Text is equivalent to a user message. */
const Input = v.union([nonEmpty, ItemList], (issue) =>
  messageOfIssue(issue, 'must be non-empty, well-formed Unicode or a list of items'),
);

function isOfText(item: InputItem): boolean {
  const parts = 'output' in item ? item.output : item.type === 'message' ? item.content : [];
  return typeof parts === 'string' || parts.every((part) => 'text' in part || 'refusal' in part);
}

const FunctionTool = v.object({
  type: v.literal('function'),
  name: functionName,
  description: v.nullish(content),
  parameters: v.nullish(jsonSchema),
  strict: v.nullish(withoutEffect(flag)),
});

const otherKind = v.pipe(
  v.string('must be a string'),
  v.regex(/^\w{1,64}$/, 'must have 1 to 64 letters, digits and _'),
  v.check((kind) => kind !== 'function' && kind !== 'namespace', 'must not be function or namespace'),
);

/** An unsupported kind of tool. It is omitted, because the model need not call a tool. */
const OtherTool = v.object({ type: otherKind });

const anyTool = 'must be an object with a type, and a function must have a name';

/** The model is offered the functions without the name of the namespace. */
const NamespaceTool = v.object({
  type: v.literal('namespace'),
  name: functionName,
  description: v.nullish(withoutEffect(content)),
  tools: v.array(
    v.variant('type', [FunctionTool, OtherTool], (issue) => messageOfIssue(issue, anyTool)),
    'must be a list',
  ),
});

const Tool = v.variant('type', [FunctionTool, NamespaceTool, OtherTool], (issue) => messageOfIssue(issue, anyTool));
export type ResponseTool = v.InferOutput<typeof Tool>;

const NamedFunction = v.object({ type: v.literal('function'), name: functionName });

const ToolChoice = v.union(
  [
    v.picklist(['none', 'auto', 'required']),
    NamedFunction,
    v.pipe(
      v.object({
        type: v.literal('allowed_tools'),
        mode: v.picklist(['none', 'auto', 'required']),
        tools: v.pipe(v.array(NamedFunction), v.minLength(1), v.maxLength(limits.functions)),
      }),
      v.transform(({ mode, ...choice }) => (mode === 'none' ? mode : { ...choice, mode })),
    ),
  ],
  'must be none, auto, required, or an object of type function or allowed_tools that names functions; other tools are not served',
);

const TextFormat = v.variant(
  'type',
  [
    v.object({ type: v.literal('text') }),
    v.object({ type: v.literal('json_object') }),
    v.object({ type: v.literal('json_schema'), ...schemaFormat }),
  ],
  typeRule('text, json_object or json_schema'),
);

const maxMetadata = 16;

const Metadata = v.pipe(
  v.record(text(64), v.pipe(content, v.maxLength(512, 'must have at most 512 characters')), 'must be an object'),
  v.check((pairs) => Object.keys(pairs).length <= maxMetadata, `must have at most ${maxMetadata} pairs`),
);

const responseId = v.pipe(text(64), v.regex(/^resp_[0-9A-Za-z]+$/, 'must be the id of a response'));

const Reasoning = v.object(
  {
    effort: v.nullish(v.picklist(reasoningEfforts)),
    summary: v.nullish(withoutEffect(v.picklist(reasoningSummaries))),
  },
  'must be an object',
);

const names = v.array(text(128), 'must be a list');
const anything = withoutEffect(v.unknown());

const Body = v.object(
  {
    model: modelFor('chat'),
    input: Input,
    instructions: v.nullish(content),
    previous_response_id: v.nullish(responseId),
    store: v.nullish(flag, true),
    stream: v.nullish(stream, false),
    max_output_tokens: v.nullish(integer(1)),
    temperature: v.nullish(temperature, samplingDefaults.temperature),
    top_p: v.nullish(top_p, samplingDefaults.top_p),
    presence_penalty: v.nullish(penalty, samplingDefaults.penalty),
    frequency_penalty: v.nullish(penalty, samplingDefaults.penalty),
    tools: v.nullish(toolList(Tool)),
    tool_choice: v.nullish(ToolChoice, 'auto'),
    parallel_tool_calls: v.nullish(flag, true),
    text: v.nullish(
      v.object(
        {
          format: v.nullish(TextFormat),
          verbosity: v.nullish(withoutEffect(v.picklist(['low', 'medium', 'high']))),
        },
        'must be an object',
      ),
    ),
    truncation: v.nullish(v.picklist(['auto', 'disabled'], 'must be auto or disabled'), 'disabled'),
    metadata: v.nullish(Metadata),
    reasoning: v.nullish(Reasoning),
    include: v.nullish(withoutEffect(names)),
    user: v.nullish(withoutEffect(content)),
    safety_identifier: v.nullish(withoutEffect(content)),
    prompt_cache_key: v.nullish(withoutEffect(content)),
    prompt_cache_retention: v.nullish(withoutEffect(content)),
    service_tier: v.nullish(withoutEffect(content)),
    prompt_cache_options: v.nullish(anything),
    access_programs: v.nullish(anything),
    image: v.nullish(anything),
    client_metadata: v.nullish(anything),
    stream_options: v.nullish(anything),
    background: v.nullish(v.literal(false, 'must be false; responses do not run in the background')),
    top_logprobs: v.nullish(v.literal(0, 'must be 0; log probabilities are not supported')),
    conversation: v.nullish(refusedUnless('`null`', v.null('is not supported; use previous_response_id'))),
    prompt: v.nullish(refusedUnless('`null`', v.null('is not supported; send instructions and input'))),
    max_tool_calls: v.nullish(
      refusedUnless('`null`', v.null('is not supported; it applies only to tools that run on the server')),
    ),
    moderation: v.nullish(refusedUnless('`null`', v.null('is not supported'))),
    context_management: v.nullish(
      refusedUnless('`null`', v.null('is not supported; use truncation or /responses/compact')),
    ),
  },
  'must be a JSON object',
);
type Body = v.InferOutput<typeof Body>;

/** Body of POST /openai/v1/responses. */
export const ResponseRequest = v.pipe(
  Body,
  v.forward(v.check(hasFewFunctions, `must have at most ${limits.functions} functions`), ['tools']),
  v.forward(v.check(hasDifferentFunctions, 'must not contain two functions with the same name'), ['tools']),
  v.forward(v.check(choosesOfferedFunctions, 'must name functions that are in tools'), ['tool_choice']),
);
export type ResponseRequest = v.InferOutput<typeof ResponseRequest>;

export type OfferedFunction = v.InferOutput<typeof FunctionTool> & { readonly namespace?: string };

/** The functions of a request, including those of its namespaces. */
export function offeredFunctions(tools: readonly ResponseTool[] | null | undefined): OfferedFunction[] {
  return (tools ?? []).flatMap((tool) => {
    if (isNamespace(tool)) return tool.tools.filter(isFunction).map((one) => ({ ...one, namespace: tool.name }));
    return isFunction(tool) ? [tool] : [];
  });
}

/** Returns the kinds of the omitted tools. */
export function toolsLeftOut(tools: readonly ResponseTool[] | null | undefined): string[] {
  const all = (tools ?? []).flatMap((tool) => (isNamespace(tool) ? tool.tools : [tool]));
  return [...new Set(all.filter((tool) => !isFunction(tool)).map(({ type }) => type))];
}

const isNamespace = (tool: ResponseTool): tool is v.InferOutput<typeof NamespaceTool> => tool.type === 'namespace';
const isFunction = (tool: ResponseTool): tool is v.InferOutput<typeof FunctionTool> => tool.type === 'function';

function hasFewFunctions({ tools }: Body): boolean {
  return offeredFunctions(tools).length <= limits.functions;
}

function hasDifferentFunctions({ tools }: Body): boolean {
  const all = offeredFunctions(tools).map(({ name }) => name);
  return new Set(all).size === all.length;
}

function choosesOfferedFunctions({ tools, tool_choice: choice }: Body): boolean {
  if (choice === 'auto' || choice === 'none') return true;
  const offered = new Set(offeredFunctions(tools).map(({ name }) => name));
  if (choice === 'required') return offered.size > 0;
  const named = choice.type === 'function' ? [choice] : choice.tools;
  return named.every(({ name }) => offered.has(name));
}

/** Body of POST /openai/v1/responses/compact. */
export const CompactionRequest = v.pipe(
  v.object(
    {
      model: Body.entries.model,
      input: v.nullish(Input),
      instructions: Body.entries.instructions,
      previous_response_id: Body.entries.previous_response_id,
      prompt_cache_key: Body.entries.prompt_cache_key,
      service_tier: Body.entries.service_tier,
    },
    'must be a JSON object',
  ),
  v.forward(
    v.check(
      ({ input, previous_response_id: previous }) => Boolean(input ?? previous),
      'is required without previous_response_id',
    ),
    ['input'],
  ),
);
export type CompactionRequest = v.InferOutput<typeof CompactionRequest>;

export const ResponsePath = v.object({ id: text(64) });

/** Stored responses are not streamed again. */
export const ResponseQuery = v.object({
  stream: v.optional(v.literal('false', 'must be false; a stored response is not streamed')),
});

/** `after`: the id of the previous page's last item. */
export const InputItemsQuery = v.object({
  after: v.optional(text(256)),
  limit: v.optional(
    v.pipe(v.string(), v.regex(/^(?:[1-9]\d?|100)$/, 'must be a number from 1 to 100'), v.transform(Number)),
    '20',
  ),
  order: v.optional(v.picklist(['asc', 'desc'], 'must be asc or desc'), 'desc'),
});
