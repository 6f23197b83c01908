import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Turn } from '#contract/agents/conversations.ts';
import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { perform } from '../../../api/call.ts';
import { toApiError } from '../../../api/http/api-error.ts';
import { followUp } from '../../../api/query-client.ts';
import { spendingReads } from '../../../api/reads.ts';
import { stream } from '../../../api/stream.ts';
import { pieceBuffer } from '../../playground/exchange/pieces.ts';
import { joinPieces } from '../../playground/exchange/pieces.ts';
import { withPlaygroundKey } from '../../playground/exchange/playground-key.ts';
import { extendTurn, type PendingTurn, pendingTurn, readChunk, type TurnMessage } from './turn.ts';

/** What a turn changes. */
const turnReads = [conversationRoutes.getConversation, conversationRoutes.listConversations, ...spendingReads];

/** The conversation of a turn. */
interface TurnTarget {
  readonly begin: () => Promise<string>;
  /** Called when the turn has failed, but not when it was stopped. */
  readonly onFailed?: (id: string) => Promise<void>;
}

/** One turn at a time of a conversation. One that is left goes on at the service, and is found in the conversation. */
export function useTurn(agent: string) {
  const client = useQueryClient();
  const [turn, setTurn] = useState<PendingTurn>();
  const [isRunning, setRunning] = useState(false);
  /** Credits of the replies that came here, by the message's id. */
  const [credits, setCredits] = useState<ReadonlyMap<string, number>>(new Map());
  const control = useRef<AbortController>(undefined);
  const requestId = useRef<string>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  /** Resolves when the turn has ended and the conversation was read again. */
  async function send({ begin, onFailed }: TurnTarget, sent: TurnMessage, before: number): Promise<void> {
    const { signal } = (control.current = new AbortController());
    requestId.current = undefined;
    setTurn(pendingTurn(sent, before));
    setRunning(true);
    let id: string | undefined;
    try {
      id = await begin();
      // Whoever has left has sent nothing yet.
      if (!signal.aborted) await read(id, sent, signal);
    } catch (thrown) {
      const error = toApiError(thrown);
      followUp(error);
      setTurn((shown) => shown && { ...shown, end: signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error } });
      if (id !== undefined && !signal.aborted) await onFailed?.(id);
    }
    await Promise.all(turnReads.map((route) => client.invalidateQueries({ queryKey: [route.id] })));
    setRunning(false);
  }

  async function read(conversationId: string, sent: TurnMessage, signal: AbortSignal): Promise<void> {
    const buffer = pieceBuffer((pieces) => setTurn((shown) => shown && extendTurn(shown, joinPieces(pieces))));
    try {
      const path = { id: agent, conversationId };
      const { headers, chunks } = await stream(
        conversationRoutes.createMessage,
        { path, body: { ...sent, stream: true } },
        { signal },
      );
      requestId.current = headers.get('x-request-id') ?? undefined;
      for await (const data of chunks) {
        const chunk = readChunk(data);
        if ('piece' in chunk) buffer.add(chunk.piece);
        else noteCredits(chunk.turn);
      }
    } finally {
      buffer.end();
    }
  }

  const noteCredits = ({ id, credits: charged }: Pick<Turn, 'id' | 'credits'>): void =>
    setCredits((known) => new Map([...known, [id, charged]]));

  /** Ends the turn at the service too, so that nothing of it is kept. */
  function stop(): void {
    const { current: id } = requestId;
    control.current?.abort();
    if (id === undefined) return;
    const cancel = (key: string) => perform(inferenceRoutes.cancelRequest, { path: { requestId: id } }, { key });
    // What ended already needs no cancelling.
    void withPlaygroundKey(cancel).catch(() => undefined);
  }

  return { turn, isRunning, credits, send, stop };
}
