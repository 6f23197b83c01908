import * as v from 'valibot';
import { type NewMessage, type Turn, TurnChunk } from '#contract/agents/conversations.ts';
import type { ApiError } from '../../api/response.ts';
import type { Piece } from '../playground/exchange/pieces.ts';

export type TurnMessage = Pick<NewMessage, 'content' | 'functionResults'>;

/** A turn in progress, not yet part of the stored conversation. */
export interface PendingTurn {
  readonly sent: TurnMessage;
  /** Message count at the time of sending. The turn is stored once the conversation has more. */
  readonly before: number;
  readonly text: string;
  readonly call: { readonly name: string; readonly arguments: string } | undefined;
  /** Set if the turn ended without a reply. */
  readonly end?: { readonly kind: 'stopped' } | { readonly kind: 'failed'; readonly error: ApiError };
}

export const pendingTurn = (sent: TurnMessage, before: number): PendingTurn => ({
  sent,
  before,
  text: '',
  call: undefined,
});

/** Parses a chunk: a piece of the reply, or the turn without its message. */
export function readChunk(data: unknown): { readonly piece: Piece } | { readonly turn: Omit<Turn, 'message'> } {
  const chunk = v.parse(TurnChunk, data);
  return 'delta' in chunk
    ? { piece: { text: chunk.delta.content ?? '', call: chunk.delta.function_call } }
    : { turn: chunk };
}

export function extendTurn(turn: PendingTurn, { text, call }: Piece): PendingTurn {
  const called = (turn.call ?? call) && {
    name: (turn.call?.name ?? '') + (call?.name ?? ''),
    arguments: (turn.call?.arguments ?? '') + (call?.arguments ?? ''),
  };
  return { ...turn, text: turn.text + text, call: called };
}
