import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import * as v from 'valibot';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import { prices } from '#contract/billing/prices.ts';
import type { Route } from '#contract/http/route.ts';
import { modelNamed } from '#contract/inference/models.ts';
import type { audioRoutes } from '#contract/routes/audio.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { callWithHeaders, type Input, type SendOptions, call, perform, request } from '../../../api/call.ts';
import { withPlaygroundKey } from '../../../api/keys.ts';
import { spendingReads } from '../../../api/reads.ts';
import { ApiError, type DataRoute, toApiError, openEnvelope } from '../../../api/response.ts';
import { stream } from '../../../api/stream.ts';
import { joinPieces, type Piece, pieceBuffer, pieceOf, StreamChunk, Usage } from './pieces.ts';

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

/** Metrics of a call. Times are milliseconds since the request. */
export const Figures = v.object({
  firstTokenMs: v.optional(v.number()),
  totalMs: v.optional(v.number()),
  tokens: v.optional(v.object({ prompt: v.number(), total: v.number() })),
  credits: v.optional(v.number()),
});
export type Figures = Readonly<v.InferOutput<typeof Figures>>;

export interface Receipt extends Figures {
  readonly requestId?: string | undefined;
  /** The response body, or the chunks of its stream, one per line. */
  readonly response: string;
}

const WithUsage = v.object({ usage: v.optional(Usage) });

/** A stream that was stopped or cut off after it began. `receipt` contains the metrics so far. */
class StreamInterrupted extends Error {
  readonly receipt: Receipt;

  constructor(receipt: Receipt, cause: unknown) {
    super('The stream was interrupted.', { cause });
    this.name = 'StreamInterrupted';
    this.receipt = receipt;
  }
}

/** Sends a streamed call. Throws StreamInterrupted if it ends after the response began. */
async function streamedExchange<R extends Route>(
  route: R,
  input: Input<R>,
  options: SendOptions,
  onPiece: (piece: Piece, receipt: Receipt) => void,
): Promise<Receipt> {
  const began = performance.now();
  const sinceBegan = () => performance.now() - began;
  const { headers, chunks } = await stream(route, input, options);
  const requestId = headers.get('x-request-id') ?? undefined;
  let response = '';
  let firstTokenMs: number | undefined;
  let counted: Pick<Receipt, 'tokens' | 'credits'> = {};
  const soFar = (): Receipt => ({ requestId, firstTokenMs, response, ...counted });
  try {
    for await (const data of chunks) {
      const chunk = v.parse(StreamChunk, data);
      const piece = pieceOf(chunk);
      response += `data: ${JSON.stringify(data)}\n`;
      if (piece.text || piece.call) firstTokenMs ??= sinceBegan();
      if (chunk.usage) counted = { tokens: tokensOf(chunk.usage), credits: streamCredits(route, input, chunk) };
      onPiece(piece, soFar());
    }
  } catch (error) {
    if (!(error instanceof ApiError || options.signal?.aborted)) throw error;
    throw new StreamInterrupted({ ...soFar(), totalMs: sinceBegan() }, error);
  }
  return { ...soFar(), totalMs: sinceBegan() };
}

const Named = v.object({ body: v.object({ model: v.string() }) });

/**
 * Calculates the cost at the service's price, because a stream's headers are sent before its cost is known. Undefined
 * for a model with its own price, whose cached tokens are only in the credit history.
 */
function streamCredits(route: Route, input: unknown, { usage }: v.InferOutput<typeof StreamChunk>): number | undefined {
  if (!route.priced || !usage || hasOwnPrice(input)) return undefined;
  const { credits, unit, unitSize } = prices[route.priced.service];
  return unit === 'token' ? (usage.total_tokens * credits) / unitSize : credits;
}

function hasOwnPrice(input: unknown): boolean {
  const model = v.is(Named, input) ? modelNamed(input.body.model) : undefined;
  return model !== undefined && (model.price !== null || model.priceChanges.length > 0);
}

/** `credits` is calculated from the text, because the headers are sent before the charge. */
interface SpeechOrder {
  readonly route: typeof audioRoutes.createSpeech;
  readonly body: v.InferInput<typeof SpeechRequest>;
  readonly credits: number;
}

/**
 * Receives audio as raw bytes. Throws an ApiError for a refusal, and StreamInterrupted if it ends after the response
 * began.
 */
async function audioExchange(
  { route, body, credits }: SpeechOrder,
  options: SendOptions,
  onBegin: (requestId: string | undefined) => void,
): Promise<{ file: Blob; receipt: Receipt }> {
  const began = performance.now();
  const response = await request(route, { body }, { ...options, accept: 'audio/*' });
  const { headers } = response;
  const type = headers.get('content-type') ?? '';
  if (!response.body || !type.startsWith('audio/')) {
    openEnvelope(await response.text(), headers);
    throw new ApiError('INVALID_RESPONSE', t`The server returned no audio. Try again.`);
  }
  const requestId = headers.get('x-request-id') ?? undefined;
  onBegin(requestId);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const soFar = (): Receipt => ({
    requestId,
    totalMs: performance.now() - began,
    response: `Content-Type: ${type}\n\n${t`(${bytes} bytes of audio)`}`,
  });
  try {
    for await (const part of response.body) {
      parts.push(part);
      bytes += part.length;
    }
  } catch (error) {
    throw new StreamInterrupted(soFar(), error);
  }
  return { file: new Blob(parts, { type }), receipt: { ...soFar(), credits } };
}

const maxAttempts = 12;
const intervalMs = 500;

/**
 * Reads the charge of a request from the credit history, where it appears shortly after the call. Undefined after 6
 * seconds.
 */
async function chargedCredits(requestId: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { entries } = await call(creditRoutes.getCredits, { query: { limit: '20' } });
    const entry = entries.find((one) => one.requestId === requestId);
    if (entry) return Math.abs(entry.credits);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  return undefined;
}

function tokensOf(usage: v.InferOutput<typeof Usage> | undefined): Receipt['tokens'] {
  return usage && { prompt: usage.prompt_tokens, total: usage.total_tokens };
}

/**
 * Runs a stream and cancels it at the service when it is stopped, because the service may not notice a disconnect
 * (docs/adr/0013-cancelled-streams.md).
 */
async function cancellable<Result>(
  { key, signal }: SendOptions,
  requestIdSoFar: () => string | undefined,
  act: () => Promise<Result>,
): Promise<Result> {
  const cancel = (): void => {
    const requestId = requestIdSoFar();
    if (requestId === undefined) return;
    // The stream may have ended already.
    void perform(inferenceRoutes.cancelRequest, { path: { requestId } }, { key }).catch(() => undefined);
  };
  signal?.addEventListener('abort', cancel);
  try {
    return await act();
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
