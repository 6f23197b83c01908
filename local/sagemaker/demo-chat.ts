import { answerChat } from './demo-answer.ts';
import { type CalledTool, chooseTool } from './demo-functions.ts';
import { limitOutput, maxModelLength, type Output, overflow, type Usage, usageOf } from './demo-output.ts';
import type { ChatBody } from './demo-request.ts';
import { eventStream, pause, type Tempo } from './demo-sse.ts';
import { countTokens, hash } from './demo-words.ts';
import { containerError, type EngineReply } from './engine.ts';

interface Reply {
  readonly output: Output;
  readonly usage: Usage;
  /** Set when the output is the arguments of a call. */
  readonly tool: CalledTool | undefined;
  readonly about: { readonly id: string; readonly created: number; readonly model: string };
}

/** Answers a chat request in words or with a call of one of its tools. */
export async function chat(body: ChatBody, tempo: Tempo, signal: AbortSignal): Promise<EngineReply> {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  const prompt = promptTokens(body);
  const tooLong = overflow(prompt, maxTokens, 'messages');
  if (tooLong) return containerError(400, tooLong);

  const tool = chooseTool(body);
  if (tool === 'unknown') return containerError(400, 'The tool_choice names a function that is not in tools.');
  const room = maxTokens ?? maxModelLength - prompt;
  const output = tool
    ? limitOutput(tool.arguments, room, [])
    : limitOutput(answerChat(body.messages, maxTokens), room, body.stop);

  const seed = hash(JSON.stringify(body.messages)).toString(16).padStart(8, '0');
  const about = { id: `chatcmpl-demo-${seed}`, created: Math.floor(Date.now() / 1000), model: body.model };
  const reply: Reply = { output, usage: usageOf(prompt, output.tokens.length), tool, about };
  if (body.stream) return streamed(reply, body.stream_options?.include_usage ?? false, tempo, signal);
  await pause(tempo.plainMs, signal);
  return { kind: 'json', status: 200, body: completion(reply) };
}

/** Like a chat template: some tokens around each message, and the tools as text. */
function promptTokens({ messages, tools }: ChatBody): number {
  const said = messages.map(({ content }) => countTokens(content) + 4).reduce((sum, count) => sum + count, 3);
  return tools.length > 0 ? said + countTokens(JSON.stringify(tools)) : said;
}

function finishReason({ output, tool }: Reply): string {
  return tool && output.finish === 'stop' ? 'tool_calls' : output.finish;
}

function completion(reply: Reply): unknown {
  const { output, tool, usage, about } = reply;
  const text = output.tokens.join('');
  const call = tool && { id: tool.id, type: 'function', function: { name: tool.name, arguments: text } };
  const message = call
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: text };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(reply) };
  return { ...about, object: 'chat.completion', choices: [choice], usage };
}

function streamed(reply: Reply, includeUsage: boolean, tempo: Tempo, signal: AbortSignal): EngineReply {
  const { output, tool, usage, about } = reply;
  const chunk = (choices: unknown[], more: object = {}) => ({
    ...about,
    object: 'chat.completion.chunk',
    choices,
    ...more,
  });
  const delta = (piece: object, finish: string | null = null) =>
    chunk([{ index: 0, finish_reason: finish, delta: piece }]);
  const pieceOf = (token: string) =>
    tool ? { tool_calls: [{ index: 0, function: { arguments: token } }] } : { content: token };
  const opened = tool && { index: 0, id: tool.id, type: 'function', function: { name: tool.name, arguments: '' } };
  const events = {
    head: [
      delta({ role: 'assistant', content: tool ? null : '' }),
      ...(opened ? [delta({ tool_calls: [opened] })] : []),
    ],
    tokens: output.tokens.map((token) => delta(pieceOf(token))),
    tail: [delta({}, finishReason(reply)), ...(includeUsage ? [chunk([], { usage })] : [])],
  };
  return eventStream(events, tempo, signal);
}
