import * as v from 'valibot';
import { prices } from '#contract/billing/prices.ts';
import type { Route } from '#contract/http/route.ts';
import { ApiError } from '../../../api/http/api-error.ts';
import type { Input, SendOptions } from '../../../api/http/send.ts';
import { stream } from '../../../api/stream.ts';
import { type Receipt, tokensOf } from './receipt.ts';
import { type Piece, pieceOf, StreamChunk } from './stream-chunk.ts';

/** A stream that began and was stopped or cut before its end; `receipt` has what is known of it by then. */
export class StreamInterrupted extends Error {
  readonly receipt: Receipt;

  constructor(receipt: Receipt, cause: unknown) {
    super('The stream was interrupted.', { cause });
    this.name = 'StreamInterrupted';
    this.receipt = receipt;
  }
}

/** A streamed call; `onPiece` gets each piece with the receipt so far. Throws StreamInterrupted once it has begun. */
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
      if (chunk.usage) counted = { tokens: tokensOf(chunk.usage), credits: streamCredits(route, chunk) };
      onPiece(piece, soFar());
    }
  } catch (error) {
    if (!(error instanceof ApiError || options.signal?.aborted)) throw error;
    throw new StreamInterrupted({ ...soFar(), totalMs: sinceBegan() }, error);
  }
  return { ...soFar(), totalMs: sinceBegan() };
}

/** A stream's headers leave before its cost is known, so it is calculated from the price list: per completion, or per token. */
function streamCredits(route: Route, { usage }: v.InferOutput<typeof StreamChunk>): number | undefined {
  if (!route.priced || !usage) return undefined;
  const { credits, unit, unitSize } = prices[route.priced.service];
  return unit === 'token' ? (usage.total_tokens * credits) / unitSize : credits;
}
