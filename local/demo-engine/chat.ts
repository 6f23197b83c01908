import { containerError, type EngineReply } from '../sagemaker/engine.ts';
import { countTokens, hash, tokenize } from '../sagemaker/words.ts';
import { type CalledTool, chooseTools } from './functions/arguments.ts';
import { type ChatBody, type CompletionBody, eventStream, pause, type Tempo } from './request.ts';
import { continuePrompt, reasoningText, responseText } from './text/response-text.ts';

interface Reply {
  /** Empty unless the request sets `reasoning_effort`. */
  readonly reasoning: readonly string[];
  readonly output: Output;
  readonly calls: readonly Call[];
  readonly usage: Usage;
  readonly about: { readonly id: string; readonly created: number; readonly model: string };
}

interface Call {
  readonly tool: CalledTool;
  readonly output: Output;
}

export async function chat(body: ChatBody, tempo: Tempo, signal: AbortSignal): Promise<EngineReply> {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  const prompt = promptTokens(body);
  const tooLong = overflow(prompt, maxTokens, 'messages');
  if (tooLong) return containerError(400, tooLong);

  const tools = chooseTools(body);
  if (tools === 'unknown') return containerError(400, 'The tool_choice names a function that is not in tools.');
  const reasoning = limitOutput(reasoningText(body), maxTokens ?? maxModelLength - prompt, []).tokens;
  const room = (maxTokens ?? maxModelLength - prompt) - reasoning.length;
  const calls = limitCalls(tools, room);
  const output: Output =
    tools.length > 0
      ? { tokens: [], finish: calls.every((call) => call.output.finish === 'stop') ? 'stop' : 'length' }
      : limitOutput(responseText(body, maxTokens), room, body.stop);
  const made = [output, ...calls.map((call) => call.output)];
  const generated = made.reduce((sum, { tokens }) => sum + tokens.length, reasoning.length);

  const seed = hash(JSON.stringify(body.messages)).toString(16).padStart(8, '0');
  const about = { id: `chatcmpl-demo-${seed}`, created: Math.floor(Date.now() / 1000), model: body.model };
  const usage = { ...usageOf(prompt, generated), ...detailsOf(reasoning) };
  const reply: Reply = { reasoning, output, calls, usage, about };
  if (body.stream) return streamed(reply, body, tempo, signal);
  await pause(tempo.plainMs, signal);
  return { kind: 'json', status: 200, body: completion(reply) };
}

const detailsOf = ({ length: reasoning_tokens }: readonly string[]) =>
  reasoning_tokens > 0 ? { completion_tokens_details: { reasoning_tokens } } : {};

function promptTokens({ messages, tools }: ChatBody): number {
  const tokens = messages.map(({ content }) => countTokens(content) + 4).reduce((sum, count) => sum + count, 3);
  return tools.length > 0 ? tokens + countTokens(JSON.stringify(tools)) : tokens;
}

function limitCalls(tools: readonly CalledTool[], room: number): Call[] {
  const calls: Call[] = [];
  let left = room;
  for (const tool of tools) {
    const output = limitOutput(tool.arguments, left, []);
    calls.push({ tool, output });
    left -= output.tokens.length;
    if (output.finish === 'length') break;
  }
  return calls;
}

function finishReason({ output, calls }: Reply): string {
  return calls.length > 0 && output.finish === 'stop' ? 'tool_calls' : output.finish;
}

function completion(reply: Reply): unknown {
  const { reasoning, output, calls, usage, about } = reply;
  const tool_calls = calls.map(({ tool, output: { tokens } }) => ({
    id: tool.id,
    type: 'function',
    function: { name: tool.name, arguments: tokens.join('') },
  }));
  const content = tool_calls.length > 0 ? { content: null, tool_calls } : { content: output.tokens.join('') };
  const thought = reasoning.length > 0 && { reasoning_content: reasoning.join('') };
  const message = { role: 'assistant', ...thought, ...content };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(reply) };
  return { ...about, object: 'chat.completion', choices: [choice], usage };
}

function streamed(reply: Reply, body: ChatBody, tempo: Tempo, signal: AbortSignal): EngineReply {
  const { reasoning, output, calls, usage, about } = reply;
  const chunk = (choices: unknown[], more: object = {}) => ({
    ...about,
    object: 'chat.completion.chunk',
    choices,
    ...more,
  });
  const delta = (piece: object, finish: string | null = null) =>
    chunk([{ index: 0, finish_reason: finish, delta: piece }]);
  const textDeltas = [
    ...reasoning.map((token) => delta({ reasoning_content: token })),
    ...output.tokens.map((token) => delta({ content: token })),
  ];
  const called = calls.flatMap(({ tool, output: { tokens } }, index) => [
    delta({
      tool_calls: [{ index, id: tool.id, type: 'function', function: { name: tool.name, arguments: '' } }],
    }),
    ...tokens.map((token) => delta({ tool_calls: [{ index, function: { arguments: token } }] })),
  ]);
  const usageAfter = continuousUsage(body, usage.prompt_tokens);
  const started = [delta({ role: 'assistant', content: calls.length > 0 ? null : '' }), ...called.slice(0, 1)];
  const total = body.stream_options.include_usage ? [chunk([], { usage })] : [];
  const events = {
    head: started.map((event) => ({ ...event, ...usageAfter(0) })),
    tokens: [...textDeltas, ...called.slice(1)].map((event, index) => ({ ...event, ...usageAfter(index + 1) })),
    tail: [{ ...delta({}, finishReason(reply)), ...usageAfter(usage.completion_tokens) }, ...total],
  };
  return eventStream(events, tempo, signal);
}

export async function complete(body: CompletionBody, tempo: Tempo, signal: AbortSignal): Promise<EngineReply> {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  const prompt = countTokens(body.prompt);
  const tooLong = overflow(prompt, maxTokens, 'prompt');
  if (tooLong) return containerError(400, tooLong);

  const text = continuePrompt(body.prompt, maxTokens);
  const { tokens, finish } = limitOutput(text, maxTokens ?? maxModelLength - prompt, body.stop);
  const usage = usageOf(prompt, tokens.length);
  const about = {
    id: `cmpl-demo-${hash(body.prompt).toString(16).padStart(8, '0')}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: body.model,
  };
  const choice = (piece: string, reason: string | null) => ({
    index: 0,
    finish_reason: reason,
    logprobs: null,
    text: piece,
  });
  if (body.stream) {
    const usageAfter = continuousUsage(body, prompt);
    const events = {
      head: [],
      tokens: tokens.map((token, index) => ({ ...about, choices: [choice(token, null)], ...usageAfter(index + 1) })),
      tail: [
        { ...about, choices: [choice('', finish)], ...usageAfter(tokens.length) },
        ...(body.stream_options.include_usage ? [{ ...about, choices: [], usage }] : []),
      ],
    };
    return eventStream(events, tempo, signal);
  }
  await pause(tempo.plainMs, signal);
  return { kind: 'json', status: 200, body: { ...about, choices: [choice(tokens.join(''), finish)], usage } };
}

/** `tokens` joined are the output. `stop`: finished, or reached a stop sequence. `length`: ran out of tokens. */
export interface Output {
  readonly tokens: readonly string[];
  readonly finish: 'stop' | 'length';
}

function limitOutput(text: string, maxTokens: number, stops: readonly string[]): Output {
  const all = tokenize(text);
  const kept = all.slice(0, maxTokens);
  const allowed = kept.join('');
  const found = stops.map((stop) => allowed.indexOf(stop)).filter((index) => index >= 0);
  if (found.length > 0) return { tokens: tokenize(allowed.slice(0, Math.min(...found))), finish: 'stop' };
  return { tokens: kept, finish: kept.length < all.length ? 'length' : 'stop' };
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

function usageOf(prompt: number, completion: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Usage in every chunk, which vLLM sends only if the usage of the whole response was also requested. */
function continuousUsage({ stream_options: options }: Pick<CompletionBody, 'stream_options'>, prompt: number) {
  const isRequested = options.include_usage && options.continuous_usage_stats;
  return (generated: number) => (isRequested ? { usage: usageOf(prompt, generated) } : {});
}

/** Maximum tokens of prompt and output together, like vLLM's `max_model_len`. */
export const maxModelLength = 131_072;

/** vLLM's error message if prompt and output exceed the context. Undefined if they fit. */
function overflow(prompt: number, maxTokens: number | undefined, place: 'messages' | 'prompt'): string | undefined {
  const output = maxTokens ?? 1;
  if (prompt + output <= maxModelLength) return undefined;
  return `This model's maximum context length is ${maxModelLength} tokens. However, you requested ${prompt + output} tokens (${prompt} in the ${place}, ${output} in the completion). Please reduce the length of the ${place} or completion.`;
}
