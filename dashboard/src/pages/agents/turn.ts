import * as v from 'valibot';
import { type NewMessage, type Turn, TurnChunk } from '#contract/agents/conversations.ts';
import type { ApiError } from '../../api/http/api-error.ts';
import type { Piece } from '../playground/exchange/stream-chunk.ts';

/** What is sent to an agent. */
export type TurnMessage = Pick<NewMessage, 'content' | 'functionResults'>;

/** A turn that is not read from the conversation yet. */
export interface PendingTurn {
  readonly sent: TurnMessage;
  /** Messages of the conversation when it was sent: once there are more, it is kept. */
  readonly before: number;
  readonly text: string;
  readonly call: { readonly name: string; readonly arguments: string } | undefined;
  /** How it ended, where that was not with a reply. */
  readonly end?: { readonly kind: 'stopped' } | { readonly kind: 'failed'; readonly error: ApiError };
}

export const pendingTurn = (sent: TurnMessage, before: number): PendingTurn => ({
  sent,
  before,
  text: '',
  call: undefined,
});

/** A chunk of the stream: what it adds to the reply, or all about the turn but its text. */
export function readChunk(data: unknown): { readonly piece: Piece } | { readonly turn: Omit<Turn, 'message'> } {
  const chunk = v.parse(TurnChunk, data);
  return 'delta' in chunk
    ? { piece: { text: chunk.delta.content ?? '', call: chunk.delta.function_call } }
    : { turn: chunk };
}

/** The turn with one more piece of its reply. */
export function extendTurn(turn: PendingTurn, { text, call }: Piece): PendingTurn {
  const called = (turn.call ?? call) && {
    name: (turn.call?.name ?? '') + (call?.name ?? ''),
    arguments: (turn.call?.arguments ?? '') + (call?.arguments ?? ''),
  };
  return { ...turn, text: turn.text + text, call: called };
}
