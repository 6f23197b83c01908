import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { callWithHeaders, type Input, type SendOptions } from '../../../api/call.ts';
import { withPlaygroundKey } from '../../../api/keys.ts';
import { spendingReads } from '../../../api/reads.ts';
import { type ApiError, type DataRoute, toApiError } from '../../../api/response.ts';
import {
  audioExchange,
  cancellable,
  chargedCredits,
  type Receipt,
  type SpeechOrder,
  streamedExchange,
  StreamInterrupted,
  tokensOf,
  WithUsage,
} from './exchange.ts';
import { joinPieces, type Piece, pieceBuffer } from './pieces.ts';

interface SentRequest {
  readonly route: Route;
  readonly body: unknown;
  /** Builds a curl command for requests that are not plain JSON. */
  readonly curl?: (origin: string) => string;
}

/** State of a call that ended before its response was complete: `settling` while the charge is looked up. */
type Interruption = 'before-response' | 'settling' | 'settled';

/** Runs one call of a playground tab at a time, and holds its request, receipt and error. */
export function useExchange() {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentRequest>();
  const [receipt, setReceipt] = useState<Receipt>();
  const [error, setError] = useState<ApiError>();
  const [interruption, setInterruption] = useState<Interruption>();
  const [isRunning, setRunning] = useState(false);
  /** Controller of the displayed call. Results of other calls are discarded. */
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
      invalidateSpending();
    }
  }

  /** Shows the cost of an interrupted stream, unless another call has started. */
  async function settle(partial: Receipt, signal: AbortSignal): Promise<void> {
    setReceipt(partial);
    setInterruption('settling');
    const credits = await chargedCredits(partial.requestId ?? '').catch(() => undefined);
    if (!isShown(signal)) return;
    setReceipt({ ...partial, credits });
    setInterruption('settled');
    invalidateSpending();
  }

  function invalidateSpending(): void {
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

  /** Stops the call and clears its request, receipt and error. */
  function reset(): void {
    drop();
    clear();
    setRunning(false);
  }

  /** Returns the response data, or undefined if the call failed. `about` replaces the displayed body. */
  async function call<R extends DataRoute>(
    route: R,
    input: Input<R> & { body?: unknown },
    about: Omit<SentRequest, 'route'> = { body: input.body },
    more: Pick<SendOptions, 'idempotencyKey'> = {},
  ) {
    return begin({ route, ...about }, async (options) => {
      const began = performance.now();
      const { data, headers, text } = await callWithHeaders(route, input, { ...options, ...more });
      const read = v.safeParse(WithUsage, data);
      const credits = Number(headers.get('x-credits-charged') ?? Number.NaN);
      if (isShown(options.signal))
        setReceipt({
          totalMs: performance.now() - began,
          tokens: tokensOf(read.success ? read.output.usage : undefined),
          credits: Number.isNaN(credits) ? undefined : credits,
          requestId: headers.get('x-request-id') ?? undefined,
          response: text,
        });
      return data;
    });
  }

  /** Returns true if the stream completed. `show` receives the output since its last call. */
  async function stream<R extends Route>(
    route: R,
    input: Input<R> & { body: unknown },
    show: (piece: Piece) => void,
  ): Promise<boolean> {
    const whole = await begin({ route, body: input.body }, async (options) => {
      let latest: Receipt | undefined;
      const buffer = pieceBuffer((pieces) => {
        if (!isShown(options.signal)) return;
        setReceipt(latest);
        show(joinPieces(pieces));
      });
      const onPiece = (piece: Piece, soFar: Receipt): void => {
        latest = soFar;
        buffer.add(piece);
      };
      try {
        return await cancellable(
          options,
          () => latest?.requestId,
          () => streamedExchange(route, input, options, onPiece),
        );
      } finally {
        buffer.end();
      }
    });
    if (whole) {
      setReceipt(whole);
      if (whole.credits === undefined) void addCharge(whole, control.current?.signal);
    }
    return whole !== undefined;
  }

  async function addCharge(whole: Receipt, signal: AbortSignal | undefined): Promise<void> {
    const credits = await chargedCredits(whole.requestId ?? '').catch(() => undefined);
    if (credits !== undefined && isShown(signal)) setReceipt({ ...whole, credits });
  }

  /** Returns the complete audio, or undefined if the call failed or was stopped. */
  async function audio(order: SpeechOrder, curl: (origin: string) => string): Promise<Blob | undefined> {
    const received = await begin({ route: order.route, body: order.body, curl }, async (options) => {
      let requestId: string | undefined;
      return cancellable(
        options,
        () => requestId,
        () => audioExchange(order, options, (id) => (requestId = id)),
      );
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
