import { ServiceError } from '../../shared/service-error.ts';
import type { DeliveredText } from '../streams/delivered-text.ts';
import { type EndReason, endReason } from '../streams/end-reason.ts';
import type { ModelChunk, ModelUsage } from '../streams/model-stream.ts';
import type { ModelChatReply } from './chat.ts';

/** A response's id and its model; `created` in Unix seconds. */
export interface About {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** How a model's response ended; `called`: with the call of a function. */
export interface ChatEnd {
  readonly reason: EndReason;
  readonly called: boolean;
  readonly usage: ModelUsage;
}

export interface ChatReply extends ChatEnd {
  readonly content: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

/** Some of a response's text, or some of a call's arguments; `opened` with the first piece of a call. */
export type ChatPiece = { readonly content: string } | { readonly call: CallPiece };

export interface CallPiece {
  readonly index: number;
  readonly opened?: { readonly id: string; readonly name: string };
  readonly arguments: string;
}

/** How the response to a chat looks from outside. */
export interface ChatFormat<Body> {
  /** Function calls that one response can have; further ones are left out. */
  readonly maxCalls: number;
  body(reply: ChatReply, about: About): Body;
  /** The chunks of a stream for a piece; the first ones also have the role. */
  pieceChunks(piece: ChatPiece, about: About, isFirst: boolean): readonly unknown[];
  /** The last chunks; the only ones when the response is empty. */
  endChunks(end: ChatEnd, about: About, isFirst: boolean): readonly unknown[];
}

/** The response in the model's reply. Refuses (502) the call of a function that was not offered. */
export function chatReply(
  reply: ModelChatReply,
  usage: ModelUsage,
  about: About,
  { maxCalls, offered }: { readonly maxCalls: number; readonly offered: ReadonlySet<string> },
): ChatReply {
  const [choice] = reply.choices;
  const calls = (choice?.message.tool_calls ?? []).slice(0, maxCalls).map((call, index) => ({
    id: call.id || callId(about, index),
    name: offeredName(call.function.name, offered),
    arguments: call.function.arguments,
  }));
  const content = choice?.message.content ?? '';
  return { content, calls, called: calls.length > 0, reason: endReason(choice?.finish_reason), usage };
}

function offeredName(name: string | null | undefined, offered: ReadonlySet<string>): string {
  if (name && offered.has(name)) return name;
  throw new ServiceError('MODEL_ERROR', 'The model called a function that was not offered.');
}

/** Containers that give a call no id get one made of the response's. */
const callId = ({ id }: About, index: number): string => `${id}-call-${index}`;

export interface ChatStream {
  readonly chunks: AsyncIterable<ModelChunk>;
  readonly format: Pick<ChatFormat<unknown>, 'maxCalls' | 'pieceChunks' | 'endChunks'>;
  /** Names of the functions that the model may call. */
  readonly offered: ReadonlySet<string>;
  readonly about: About;
  readonly delivered: DeliveredText;
  /** Makes usage that can be billed of what the model reported. */
  readonly onUsage: (usage: ModelUsage | null | undefined) => Promise<ModelUsage>;
}

/**
 * The chunks of a streamed response as its format has them. A model that goes on past its `max_tokens` is ended; one that calls a
 * function that was not offered has failed (502).
 */
export async function* chatChunks({ chunks, format, offered, about, delivered, onUsage }: ChatStream): AsyncGenerator {
  const calls = callReader(about, format.maxCalls, offered);
  let usage: ModelUsage | null | undefined;
  let reason: string | null | undefined;
  let called = false;
  let isFirst = true;
  for await (const chunk of chunks) {
    const [choice] = chunk.choices;
    usage = chunk.usage ?? usage;
    reason = choice?.finish_reason ?? reason;
    for (const piece of pieces(choice?.delta, calls)) {
      called ||= 'call' in piece;
      delivered.add('call' in piece ? (piece.call.opened?.name ?? '') + piece.call.arguments : piece.content);
      // `yield*` would make an async iterator of each array: one for every chunk.
      for (const chunk of format.pieceChunks(piece, about, isFirst)) yield chunk;
      isFirst = false;
    }
    if (delivered.isSuspicious && (await delivered.isOverlong())) {
      [usage, reason] = [undefined, 'length'];
      break;
    }
  }
  yield* format.endChunks({ reason: endReason(reason), called, usage: await onUsage(usage) }, about, isFirst);
}

type Delta = NonNullable<ModelChunk['choices'][number]['delta']>;
type CallDelta = NonNullable<Delta['tool_calls']>[number];
type CallReader = (delta: CallDelta, position: number) => CallPiece | undefined;

function* pieces(delta: Delta | null | undefined, readCall: CallReader): Generator<ChatPiece> {
  if (delta?.content) yield { content: delta.content };
  for (const [position, part] of (delta?.tool_calls ?? []).entries()) {
    const call = readCall(part, position);
    if (call) yield { call };
  }
}

/** Numbers the calls in the order they are opened; what belongs to calls beyond the maximum is dropped. */
function callReader(about: About, maxCalls: number, offered: ReadonlySet<string>): CallReader {
  const indexes = new Map<number, number>();
  return ({ index: given, id, function: { name, arguments: text } }, position) => {
    const known = indexes.get(given ?? position);
    if (known !== undefined) return text ? { index: known, arguments: text } : undefined;
    const index = indexes.size;
    if (index === maxCalls) return undefined;
    indexes.set(given ?? position, index);
    const opened = { id: id || callId(about, index), name: offeredName(name, offered) };
    return { index, opened, arguments: text ?? '' };
  };
}
