import type { OpenAiChatCompletion, OpenAiChatRequest } from '#contract/inference/openai/openai-chat.ts';
import { limits } from '#contract/shared/limits.ts';
import { reasonOf } from '../streams/end-reason.ts';
import { totalled } from '../streams/model-stream.ts';
import { functionDelta } from './chat-format.ts';
import type { About, CallPiece, ChatFormat, ChatPiece, ChatReply } from './chat-response.ts';

type Message = OpenAiChatCompletion['choices'][number]['message'];

/**
 * A chat's response as OpenAI's clients read it. Those that offered `functions` get a `function_call`, all others
 * `tool_calls`. A stream begins with the role alone; its usage comes after the end, where that was requested.
 */
export function openAiChat(request: OpenAiChatRequest): ChatFormat<OpenAiChatCompletion> {
  const offersFunctions = Boolean(request.functions?.length);
  const calledReason = offersFunctions ? 'function_call' : 'tool_calls';
  const delta = offersFunctions ? functionDelta : toolDelta;
  const includesUsage = request.stream_options?.include_usage ?? false;

  function chunk({ id, created, model }: About, choices: readonly object[], usage: object | null = null) {
    return { id, object: 'chat.completion.chunk', created, model, choices, ...(includesUsage && { usage }) };
  }
  const part = (about: About, piece: object, finish_reason: string | null = null) =>
    chunk(about, [{ index: 0, delta: piece, logprobs: null, finish_reason }]);
  const role = (about: About, content: '' | null) => part(about, { role: 'assistant', content, refusal: null });

  return {
    maxCalls: offersFunctions || request.parallel_tool_calls === false ? 1 : limits.functions,
    body({ usage, ...reply }, { id, created, model }) {
      const message = { ...messageOf(reply.content, reply.called), ...calls(reply, offersFunctions) };
      const choice = { index: 0, message, logprobs: null, finish_reason: reasonOf(reply, calledReason) };
      return { id, object: 'chat.completion', created, model, choices: [choice], usage: totalled(usage) };
    },
    pieceChunks(piece, about, isFirst) {
      const chunk = part(about, delta(piece));
      return isFirst ? [role(about, 'call' in piece ? null : ''), chunk] : [chunk];
    },
    endChunks: ({ usage, ...end }, about, isFirst) => [
      ...(isFirst ? [role(about, '')] : []),
      part(about, {}, reasonOf(end, calledReason)),
      ...(includesUsage ? [chunk(about, [], totalled(usage))] : []),
    ],
  };
}

function messageOf(content: string, called: boolean): Message {
  return { role: 'assistant', content: called && content === '' ? null : content, refusal: null };
}

function calls({ calls: made }: Pick<ChatReply, 'calls'>, asFunction: boolean): Partial<Message> {
  const [first] = made;
  if (!first) return {};
  if (asFunction) return { function_call: { name: first.name, arguments: first.arguments } };
  const tool_calls = made.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  return { tool_calls };
}

function toolDelta(piece: ChatPiece) {
  return 'content' in piece ? { content: piece.content } : { tool_calls: [toolCallDelta(piece.call)] };
}

function toolCallDelta({ index, opened, arguments: text }: CallPiece) {
  if (!opened) return { index, function: { arguments: text } };
  return { index, id: opened.id, type: 'function', function: { name: opened.name, arguments: text } };
}
