import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Route } from '#contract/http/route.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { perform } from '../../../api/call.ts';
import { type ApiError, toApiError } from '../../../api/http/api-error.ts';
import type { DataRoute } from '../../../api/http/response.ts';
import type { Input, SendOptions } from '../../../api/http/send.ts';
import { spendingReads } from '../../../api/reads.ts';
import { audioExchange, type SpeechOrder } from './audio-exchange.ts';
import { chargedCredits } from './charged-credits.ts';
import { exchange } from './exchange.ts';
import { pieceBuffer } from './piece-buffer.ts';
import { withPlaygroundKey } from './playground-key.ts';
import type { Receipt } from './receipt.ts';
import { joinPieces, type Piece } from './stream-chunk.ts';
import { StreamInterrupted, streamedExchange } from './streamed-exchange.ts';

/** What was sent last. */
export interface SentRequest {
  readonly route: Route;
  readonly body: unknown;
  /** The command for a terminal, where it is more than JSON to and fro. */
  readonly curl?: (origin: string) => string;
}

/** How the last call ended before its response was complete: `settling` until its charge is known or given up. */
export type Interruption = 'before-response' | 'settling' | 'settled';

/** Ends a stream at the service too, which may not notice that nobody reads it any more (docs/adr/0013-cancelled-streams.md). */
function cancelStream(requestId: string | undefined, { key }: SendOptions): void {
  if (requestId === undefined) return;
  // What ended already, or is unknown, needs no cancelling.
  void perform(inferenceRoutes.cancelRequest, { path: { requestId } }, { key }).catch(() => undefined);
}

/** One call at a time of a playground tab: its request, receipt and error. */
export function useExchange() {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentRequest>();
  const [receipt, setReceipt] = useState<Receipt>();
  const [error, setError] = useState<ApiError>();
  const [interruption, setInterruption] = useState<Interruption>();
  const [isRunning, setRunning] = useState(false);
  /** Of the call that is shown; what another one brings is dropped. */
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => drop(), []);

  async function begin<Result>(
    request: SentRequest,
    act: (options: SendOptions) => Promise<Result>,
  ): Promise<Result | undefined> {
    drop();
    const { signal } = (control.current = new AbortController());
    clear();
    setSent(request);
    setRunning(true);
    try {
      const result = await withPlaygroundKey((key) => act({ key, signal }));
      return isShown(signal) ? result : undefined;
    } catch (thrown) {
      if (!isShown(signal)) return undefined;
      if (thrown instanceof StreamInterrupted) void settle(thrown.receipt, signal);
      else if (signal.aborted) setInterruption('before-response');
      else setError(toApiError(thrown));
      return undefined;
    } finally {
      if (isShown(signal)) setRunning(false);
      for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
    }
  }

  /** Shows what an interrupted stream cost, unless another call has begun meanwhile. */
  async function settle(partial: Receipt, signal: AbortSignal): Promise<void> {
    setReceipt(partial);
    setInterruption('settling');
    const credits = await chargedCredits(partial.requestId ?? '').catch(() => undefined);
    if (!isShown(signal)) return;
    setReceipt({ ...partial, credits });
    setInterruption('settled');
    for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
  }

  const isShown = (signal: AbortSignal | undefined): boolean => control.current?.signal === signal;

  function drop(): void {
    const dropped = control.current;
    control.current = undefined;
    dropped?.abort();
  }

  function clear(): void {
    setSent(undefined);
    setReceipt(undefined);
    setError(undefined);
    setInterruption(undefined);
  }

  /** Stops what is running, and shows nothing of the last call any more, nor its charge once that is known. */
  function reset(): void {
    drop();
    clear();
    setRunning(false);
  }

  /** The response's data; undefined when the call failed. `about` is what is shown of it, where that is not its body. */
  async function call<R extends DataRoute>(
    route: R,
    input: Input<R> & { body?: unknown },
    about: Omit<SentRequest, 'route'> = { body: input.body },
    more: Pick<SendOptions, 'idempotencyKey'> = {},
  ) {
    return begin({ route, ...about }, async (options) => {
      const { data, receipt } = await exchange(route, input, { ...options, ...more });
      if (isShown(options.signal)) setReceipt(receipt);
      return data;
    });
  }

  /** True when the stream came to its end. `onPiece` gets what has come since it was last called. */
  async function stream<R extends Route>(
    route: R,
    input: Input<R> & { body: unknown },
    onPiece: (piece: Piece) => void,
  ): Promise<boolean> {
    const whole = await begin({ route, body: input.body }, async (options) => {
      let latest: Receipt | undefined;
      const buffer = pieceBuffer((pieces) => {
        if (!isShown(options.signal)) return;
        setReceipt(latest);
        onPiece(joinPieces(pieces));
      });
      const cancel = (): void => cancelStream(latest?.requestId, options);
      options.signal?.addEventListener('abort', cancel);
      try {
        return await streamedExchange(route, input, options, (piece, soFar) => {
          latest = soFar;
          buffer.add(piece);
        });
      } finally {
        options.signal?.removeEventListener('abort', cancel);
        buffer.end();
      }
    });
    if (whole) setReceipt(whole);
    return whole !== undefined;
  }

  /** The audio of a response, whole; undefined when the call failed. One that is stopped is cancelled at the service too. */
  async function audio(order: SpeechOrder, curl: (origin: string) => string): Promise<Blob | undefined> {
    const received = await begin({ route: order.route, body: order.body, curl }, async (options) => {
      let requestId: string | undefined;
      const cancel = (): void => cancelStream(requestId, options);
      options.signal?.addEventListener('abort', cancel);
      try {
        return await audioExchange(order, options, (id) => (requestId = id));
      } finally {
        options.signal?.removeEventListener('abort', cancel);
      }
    });
    if (received) setReceipt(received.receipt);
    return received?.file;
  }

  return {
    sent,
    receipt,
    error,
    interruption,
    isRunning,
    call,
    stream,
    audio,
    reset,
    stop: () => control.current?.abort(),
  };
}

export type ExchangeState = ReturnType<typeof useExchange>;
