import { containerError, type EngineReply } from '../sagemaker/engine.ts';
import { countTokens, hash } from '../sagemaker/words.ts';
import { type CalledTool, chooseTools } from './functions/functions.ts';
import { continuousUsage, limitOutput, maxModelLength, type Output, overflow, type Usage, usageOf } from './output.ts';
import type { ChatBody } from './request.ts';
import { eventStream, pause, type Tempo } from './sse.ts';
import { responseText } from './text/response-text.ts';

interface Reply {
  /** Words, or no tokens beside calls. */
  readonly output: Output;
  readonly calls: readonly Call[];
  readonly usage: Usage;
  readonly about: { readonly id: string; readonly created: number; readonly model: string };
}

/** A call whose output is its arguments. */
interface Call {
  readonly tool: CalledTool;
  readonly output: Output;
}

/** Generates the reply to a chat request: text, or calls of its tools. */
export async function chat(body: ChatBody, tempo: Tempo, signal: AbortSignal): Promise<EngineReply> {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  const prompt = promptTokens(body);
  const tooLong = overflow(prompt, maxTokens, 'messages');
  if (tooLong) return containerError(400, tooLong);

  const tools = chooseTools(body);
  if (tools === 'unknown') return containerError(400, 'The tool_choice names a function that is not in tools.');
  const room = maxTokens ?? maxModelLength - prompt;
  const calls = limitCalls(tools, room);
  const output: Output =
    tools.length > 0
      ? { tokens: [], finish: calls.every((call) => call.output.finish === 'stop') ? 'stop' : 'length' }
      : limitOutput(responseText(body, maxTokens), room, body.stop);
  const made = [output, ...calls.map((call) => call.output)].reduce((sum, { tokens }) => sum + tokens.length, 0);

  const seed = hash(JSON.stringify(body.messages)).toString(16).padStart(8, '0');
  const about = { id: `chatcmpl-demo-${seed}`, created: Math.floor(Date.now() / 1000), model: body.model };
  const reply: Reply = { output, calls, usage: usageOf(prompt, made), about };
  if (body.stream) return streamed(reply, body, tempo, signal);
  await pause(tempo.plainMs, signal);
  return { kind: 'json', status: 200, body: completion(reply) };
}

/** Like a chat template: some tokens around each message, and the tools as text. */
function promptTokens({ messages, tools }: ChatBody): number {
  const tokens = messages.map(({ content }) => countTokens(content) + 4).reduce((sum, count) => sum + count, 3);
  return tools.length > 0 ? tokens + countTokens(JSON.stringify(tools)) : tokens;
}

/** As many of the calls as there is room for; the last may be cut short. */
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
  const { output, calls, usage, about } = reply;
  const tool_calls = calls.map(({ tool, output: { tokens } }) => ({
    id: tool.id,
    type: 'function',
    function: { name: tool.name, arguments: tokens.join('') },
  }));
  const content = tool_calls.length > 0 ? { content: null, tool_calls } : { content: output.tokens.join('') };
  const message = { role: 'assistant', ...content };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(reply) };
  return { ...about, object: 'chat.completion', choices: [choice], usage };
}

function streamed(reply: Reply, body: ChatBody, tempo: Tempo, signal: AbortSignal): EngineReply {
  const { output, calls, usage, about } = reply;
  const chunk = (choices: unknown[], more: object = {}) => ({
    ...about,
    object: 'chat.completion.chunk',
    choices,
    ...more,
  });
  const delta = (piece: object, finish: string | null = null) =>
    chunk([{ index: 0, finish_reason: finish, delta: piece }]);
  const contentDeltas = output.tokens.map((token) => delta({ content: token }));
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
    tokens: [...contentDeltas, ...called.slice(1)].map((event, index) => ({ ...event, ...usageAfter(index + 1) })),
    tail: [{ ...delta({}, finishReason(reply)), ...usageAfter(usage.completion_tokens) }, ...total],
  };
  return eventStream(events, tempo, signal);
}
