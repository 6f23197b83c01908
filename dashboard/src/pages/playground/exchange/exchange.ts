import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import { prices } from '#contract/billing/prices.ts';
import type { Route } from '#contract/http/route.ts';
import { modelNamed } from '#contract/inference/models.ts';
import type { audioRoutes } from '#contract/routes/audio.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { call, type Input, perform, request, type SendOptions } from '../../../api/call.ts';
import { ApiError, openEnvelope } from '../../../api/response.ts';
import { stream } from '../../../api/stream.ts';
import { type Piece, pieceOf, StreamChunk, Usage } from './pieces.ts';

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

export const WithUsage = v.object({ usage: v.optional(Usage) });

/** A stream that was stopped or cut off after it began. `receipt` contains the metrics so far. */
export class StreamInterrupted extends Error {
  readonly receipt: Receipt;

  constructor(receipt: Receipt, cause: unknown) {
    super('The stream was interrupted.', { cause });
    this.name = 'StreamInterrupted';
    this.receipt = receipt;
  }
}

/** Sends a streamed call. Throws StreamInterrupted if it ends after the response began. */
export async function streamedExchange<R extends Route>(
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
 * Calculates the cost at the service's price, because a stream's headers are sent before its cost is known. Undefined for
 * a model with its own price, whose cached tokens are only in the credit history.
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
export interface SpeechOrder {
  readonly route: typeof audioRoutes.createSpeech;
  readonly body: v.InferInput<typeof SpeechRequest>;
  readonly credits: number;
}

/**
 * Receives audio as raw bytes. Throws an ApiError for a refusal, and StreamInterrupted if it ends after the response
 * began.
 */
export async function audioExchange(
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
export async function chargedCredits(requestId: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { entries } = await call(creditRoutes.getCredits, { query: { limit: '20' } });
    const entry = entries.find((one) => one.requestId === requestId);
    if (entry) return Math.abs(entry.credits);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  return undefined;
}

export function tokensOf(usage: v.InferOutput<typeof Usage> | undefined): Receipt['tokens'] {
  return usage && { prompt: usage.prompt_tokens, total: usage.total_tokens };
}

/**
 * Runs a stream and cancels it at the service when it is stopped, because the service may not notice a disconnect
 * (docs/adr/0013-cancelled-streams.md).
 */
export async function cancellable<Result>(
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
