import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Route } from '#contract/http/route.ts';
import { type ApiError, toApiError } from '../../api/api-error.ts';
import { spendingReads } from '../../api/reads.ts';
import type { DataRoute } from '../../api/response.ts';
import type { Input, SendOptions } from '../../api/send.ts';
import { exchange, type Piece, type Receipt, streamedExchange } from './exchange.ts';
import { withPlaygroundKey } from './playground-key.ts';

/** What was sent last. */
export interface SentRequest {
  readonly route: Route;
  readonly body: unknown;
}

/** One call at a time of a playground tab: its request, receipt and error. */
export function useExchange() {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentRequest>();
  const [receipt, setReceipt] = useState<Receipt>();
  const [error, setError] = useState<ApiError>();
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  async function begin<Result>(
    what: SentRequest,
    act: (options: SendOptions) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { signal } = (control.current = new AbortController());
    setSent(what);
    setReceipt(undefined);
    setError(undefined);
    setRunning(true);
    try {
      return await withPlaygroundKey((key) => act({ key, signal }));
    } catch (thrown) {
      if (!signal.aborted) setError(toApiError(thrown));
      return undefined;
    } finally {
      setRunning(false);
      for (const { id } of spendingReads) void client.invalidateQueries({ queryKey: [id] });
    }
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

  return { sent, receipt, error, isRunning, call, stream, stop: () => control.current?.abort() };
}

export type ExchangeState = ReturnType<typeof useExchange>;
