import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Route } from '#contract/http/route.ts';
import { type ApiError, toApiError } from '../../api/api-error.ts';
import { spendingReads } from '../../api/reads.ts';
import type { DataRoute } from '../../api/response.ts';
import type { Input, SendOptions } from '../../api/send.ts';
import { chargedCredits } from './charged-credits.ts';
import { exchange } from './exchange.ts';
import { withPlaygroundKey } from './playground-key.ts';
import type { Receipt } from './receipt.ts';
import type { Piece } from './stream-chunk.ts';
import { StreamInterrupted, streamedExchange } from './streamed-exchange.ts';

/** What was sent last. */
export interface SentRequest {
  readonly route: Route;
  readonly body: unknown;
}

/** How the last call ended before its response was complete: `settling` until its charge is known or given up. */
export type Interruption = 'before-response' | 'settling' | 'settled';

/** Reason of an abort that nobody is there to see. */
const unmounted = Symbol('unmounted');

/** One call at a time of a playground tab: its request, receipt and error. */
export function useExchange() {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentRequest>();
  const [receipt, setReceipt] = useState<Receipt>();
  const [error, setError] = useState<ApiError>();
  const [interruption, setInterruption] = useState<Interruption>();
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(unmounted), []);

  async function begin<Result>(
    request: SentRequest,
    act: (options: SendOptions) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { signal } = (control.current = new AbortController());
    clear();
    setSent(request);
    setRunning(true);
    try {
      return await withPlaygroundKey((key) => act({ key, signal }));
    } catch (thrown) {
      if (signal.reason === unmounted) return undefined;
      if (thrown instanceof StreamInterrupted) void settle(thrown.receipt, signal);
      else if (signal.aborted) setInterruption('before-response');
      else setError(toApiError(thrown));
      return undefined;
    } finally {
      setRunning(false);
      for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
    }
  }

  /** Shows what an interrupted stream cost, unless another call has begun meanwhile. */
  async function settle(partial: Receipt, signal: AbortSignal): Promise<void> {
    setReceipt(partial);
    setInterruption('settling');
    const credits = await chargedCredits(partial.requestId ?? '').catch(() => undefined);
    if (control.current?.signal !== signal || signal.reason === unmounted) return;
    setReceipt({ ...partial, credits });
    setInterruption('settled');
    for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
  }

  function clear(): void {
    setSent(undefined);
    setReceipt(undefined);
    setError(undefined);
    setInterruption(undefined);
  }

  /** Shows nothing of the last call any more, nor its charge once that is known. */
  function reset(): void {
    control.current = undefined;
    clear();
  }

  /** The response's data; undefined when the call failed. */
  async function call<R extends DataRoute>(route: R, input: Input<R> & { body: unknown }) {
    return begin({ route, body: input.body }, async (options) => {
      const { data, receipt } = await exchange(route, input, options);
      setReceipt(receipt);
      return data;
    });
  }

  /** True when the stream came to its end. */
  async function stream<R extends Route>(
    route: R,
    input: Input<R> & { body: unknown },
    onPiece: (piece: Piece) => void,
  ): Promise<boolean> {
    const whole = await begin({ route, body: input.body }, (options) =>
      streamedExchange(route, input, options, (piece, soFar) => {
        setReceipt(soFar);
        onPiece(piece);
      }),
    );
    if (whole) setReceipt(whole);
    return whole !== undefined;
  }

  return { sent, receipt, error, interruption, isRunning, call, stream, reset, stop: () => control.current?.abort() };
}

export type ExchangeState = ReturnType<typeof useExchange>;
