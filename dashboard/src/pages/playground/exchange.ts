import * as v from 'valibot';
import { prices } from '#contract/prices.ts';
import type { Route } from '#contract/route.ts';
import { callWithHeaders } from '../../api/call.ts';
import type { Data, DataRoute } from '../../api/response.ts';
import type { Input, SendOptions } from '../../api/send.ts';
import { stream } from '../../api/stream.ts';

/** Figures of a call; times in milliseconds since it was sent. */
export interface Receipt {
  readonly firstTokenMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly tokens?: { readonly prompt: number; readonly total: number } | undefined;
  readonly credits?: number | undefined;
  readonly remaining?: number | undefined;
  readonly requestId?: string | undefined;
  /** The body as received, or the chunks of its stream, one a line. */
  readonly response: string;
}

const Usage = v.object({ prompt_tokens: v.number(), total_tokens: v.number() });
const WithUsage = v.object({ usage: v.optional(Usage) });
/** Chat chunks have a `delta`, completion chunks a `text`. */
const Chunk = v.object({
  choices: v.array(
    v.object({
      text: v.optional(v.string()),
      delta: v.optional(
        v.object({
          content: v.optional(v.string()),
          function_call: v.optional(v.object({ name: v.optional(v.string()), arguments: v.optional(v.string()) })),
        }),
      ),
    }),
  ),
  usage: v.optional(Usage),
});

/** What a chunk adds to the output. */
export interface Piece {
  readonly text: string;
  readonly call?: { readonly name?: string | undefined; readonly arguments?: string | undefined } | undefined;
}

function numberIn(headers: Headers, name: string): number | undefined {
  const value = Number(headers.get(name) ?? Number.NaN);
  return Number.isNaN(value) ? undefined : value;
}

/** A call whose response is not streamed. */
export async function exchange<R extends DataRoute>(
  route: R,
  input: Input<R>,
  options: SendOptions,
): Promise<{ data: Data<R>; receipt: Receipt }> {
  const began = performance.now();
  const { data, headers, text } = await callWithHeaders(route, input, options);
  const read = v.safeParse(WithUsage, data);
  const receipt: Receipt = {
    totalMs: performance.now() - began,
    tokens: tokensOf(read.success ? read.output.usage : undefined),
    credits: numberIn(headers, 'x-credits-charged'),
    remaining: numberIn(headers, 'x-credits-remaining'),
    requestId: headers.get('x-request-id') ?? undefined,
    response: text,
  };
  return { data, receipt };
}

/** A streamed call; `onPiece` gets each piece with the receipt so far. */
export async function streamedExchange<R extends Route>(
  route: R,
  input: Input<R>,
  options: SendOptions,
  onPiece: (piece: Piece, receipt: Receipt) => void,
): Promise<Receipt> {
  const began = performance.now();
  const { headers, chunks } = await stream(route, input, options);
  const requestId = headers.get('x-request-id') ?? undefined;
  let response = '';
  let firstTokenMs: number | undefined;
  let counted: Pick<Receipt, 'tokens' | 'credits'> = {};
  for await (const data of chunks) {
    const { choices, usage } = v.parse(Chunk, data);
    const { text = '', delta } = choices[0] ?? {};
    const piece: Piece = { text: delta?.content ?? text, call: delta?.function_call };
    if (piece.text || piece.call) firstTokenMs ??= performance.now() - began;
    if (usage) counted = { tokens: tokensOf(usage), credits: streamCredits(route, usage.total_tokens) };
    response += `data: ${JSON.stringify(data)}\n`;
    onPiece(piece, { requestId, firstTokenMs, response, ...counted });
  }
  return { requestId, firstTokenMs, response, ...counted, totalMs: performance.now() - began };
}

/** A stream's headers leave before its cost is known, so it is calculated from the price list: per completion, or per token. */
function streamCredits(route: Route, tokens: number): number | undefined {
  if (!route.priced) return undefined;
  const { credits, unit, unitSize } = prices[route.priced.service];
  return unit === 'token' ? (tokens * credits) / unitSize : credits;
}

function tokensOf(usage: v.InferOutput<typeof Usage> | undefined): Receipt['tokens'] {
  return usage && { prompt: usage.prompt_tokens, total: usage.total_tokens };
}
