import { responsesError } from '#contract/http/format.ts';
import type { OutputItem, ResponseObject } from '#contract/inference/response-items.ts';
import { offeredFunctions, type ResponseRequest } from '#contract/inference/responses.ts';
import { errorStatus, type Refusal } from '#contract/shared/errors.ts';
import { limits } from '#contract/shared/limits.ts';
import type { ChatEnd, ChatFormat, ResponseMetadata } from './chat.ts';
import type { EndReason, ModelUsage } from './model-stream.ts';
import { messageItem, reasoningItem, ResponseEvents } from './responses-events.ts';

/** Epoch seconds. */
type Now = () => number;

/**
 * The format of a request to the Responses API. It holds the state of the stream. Its end chunks exclude the
 * last event, which follows when the response is stored.
 */
export interface ResponsesFormat extends ChatFormat<ResponseObject> {
  /** The complete response, once the stream has ended. */
  readonly ended: () => ResponseObject | undefined;
  /** The last event of the stream. */
  readonly lastChunk: (response: ResponseObject) => readonly object[];
}

/** Id of the request, which is in the id of each chat completion. */
export const requestIdOf = ({ id }: Pick<ResponseMetadata, 'id'>): string => id.slice(id.indexOf('-') + 1);

export function responsesFormat(request: ResponseRequest, now: Now): ResponsesFormat {
  const functions = offeredFunctions(request.tools);
  const namespaces = new Map(functions.map(({ name, namespace }) => [name, namespace]));
  const { tool_choice: choice } = request;
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice.tools : functions;
  const callable = new Set(choice === 'none' ? [] : allowed.map(({ name }) => name));
  const events = new ResponseEvents();
  let final: ResponseObject | undefined;

  const mayCall = (name: string): boolean => callable.has(name);

  function callItem(about: ResponseMetadata, place: number, callIndex: number, name: string): Call {
    const namespace = namespaces.get(name);
    const requestId = requestIdOf(about);
    return {
      type: 'function_call',
      id: `fc_${requestId}_${place}`,
      status: 'in_progress',
      call_id: `call_${requestId}_${callIndex}`,
      name,
      ...(namespace !== undefined && { namespace }),
      arguments: '',
    };
  }

  const draft = (about: ResponseMetadata): ResponseObject => described(request, about);

  function finished(about: ResponseMetadata, output: readonly OutputItem[], { reason, usage }: Ended): ResponseObject {
    const isComplete = reason === 'stop';
    return {
      ...draft(about),
      status: isComplete ? 'completed' : 'incomplete',
      completed_at: isComplete ? now() : null,
      incomplete_details: isComplete ? null : { reason: reason === 'length' ? 'max_output_tokens' : reason },
      output: [...output],
      usage: usageOf(usage),
    };
  }

  return {
    maxCalls: request.parallel_tool_calls ? limits.functions : 1,
    body(reply, about) {
      const output: OutputItem[] = [];
      const requestId = requestIdOf(about);
      const { content, reasoning, reason } = reply;
      if (reasoning) output.push(reasoningItem(requestId, output.length, reasoning));
      const calls = reply.calls.filter(({ name }) => mayCall(name));
      if (content || calls.length === 0) output.push(messageItem(requestId, output.length, content));
      for (const [index, { name, arguments: text }] of calls.entries())
        output.push({ ...callItem(about, output.length, index, name), arguments: text, status: 'completed' });
      return finished(about, withEnd(output, reason), reply);
    },
    async openingChunks(about) {
      const response = draft(about);
      events.write('response.created', { response });
      events.write('response.in_progress', { response });
      return events.take();
    },
    pieceChunks(piece, about) {
      if ('content' in piece) events.addText(piece.content, requestIdOf(about));
      else {
        const { index, opened, arguments: text } = piece.call;
        if (opened && mayCall(opened.name))
          events.openCall(index, (place, count) => callItem(about, place, count, opened.name));
        events.addArguments(index, text);
      }
      return events.take();
    },
    reasoningChunks(reasoning, about) {
      events.addReasoning(reasoning, requestIdOf(about));
      return events.take();
    },
    endChunks({ reason, usage }, about) {
      const made = events.end(reason === 'stop', requestIdOf(about));
      final = finished(about, events.output, { reason, usage });
      return made;
    },
    failureChunks(refusal, about) {
      const { error } = responsesError(refusal);
      const { code, message, param } = error;
      const response: ResponseObject = {
        ...draft(about),
        status: 'failed',
        error: { code: failureCode(refusal), message },
        output: [...events.output],
      };
      events.write('error', { code, message, param, error });
      events.write('response.failed', { response });
      return events.take();
    },
    ended: () => final,
    lastChunk(response) {
      events.write(`response.${response.status}`, { response });
      return events.take();
    },
  };
}

type Ended = Pick<ChatEnd, 'reason' | 'usage'>;
type Call = Extract<OutputItem, { type: 'function_call' }>;

const failureCode = ({ code }: Refusal): string => (errorStatus[code] < 500 ? code.toLowerCase() : 'server_error');

/** A truncated output ends with an incomplete item. */
function withEnd(output: readonly OutputItem[], reason: EndReason): OutputItem[] {
  const last = output.at(-1);
  if (reason === 'stop' || !last) return [...output];
  return [...output.slice(0, -1), { ...last, status: 'incomplete' }];
}

export function usageOf({ prompt_tokens, completion_tokens, ...details }: ModelUsage) {
  const { cached_tokens = 0, cache_write_tokens = 0, reasoning_tokens = 0 } = details;
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: prompt_tokens + completion_tokens,
  };
}

/** A response whose stream was cancelled. Nothing of its request is stored. */
export const cancelledResponse = (about: ResponseMetadata): ResponseObject => ({
  ...described({ ...defaults, model: about.model }, about),
  status: 'cancelled',
});

const defaults = {
  input: '',
  store: false,
  stream: true,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  truncation: 'disabled',
} as const satisfies Partial<ResponseRequest>;

/** The response before its output, with the fields of its request. */
export function described(request: ResponseRequest, about: ResponseMetadata): ResponseObject {
  const { text, reasoning, tool_choice, tools } = request;
  return {
    id: `resp_${requestIdOf(about)}`,
    object: 'response',
    created_at: about.created,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    model: about.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: 'default',
    store: request.store,
    temperature: request.temperature,
    text: { format: listedFormat(text?.format), verbosity: text?.verbosity ?? 'medium' },
    tool_choice,
    tools: offeredFunctions(tools).map(({ name, description, parameters, strict }) => ({
      type: 'function',
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? null,
    })),
    top_logprobs: 0,
    top_p: request.top_p,
    presence_penalty: request.presence_penalty,
    frequency_penalty: request.frequency_penalty,
    truncation: request.truncation,
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
    access_programs: null,
  };
}

function listedFormat(format: NonNullable<ResponseRequest['text']>['format']): ResponseObject['text']['format'] {
  if (format?.type !== 'json_schema') return format ?? { type: 'text' };
  const { description, strict } = format;
  return { ...format, description: description ?? null, strict: strict ?? false };
}
