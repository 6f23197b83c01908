import * as v from 'valibot';
import { callWithHeaders } from '../../../api/call.ts';
import type { Data, DataRoute } from '../../../api/http/response.ts';
import type { Input, SendOptions } from '../../../api/http/send.ts';
import { type Receipt, tokensOf, Usage } from './receipt.ts';

const WithUsage = v.object({ usage: v.optional(Usage) });

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
    requestId: headers.get('x-request-id') ?? undefined,
    response: text,
  };
  return { data, receipt };
}

function numberIn(headers: Headers, name: string): number | undefined {
  const value = Number(headers.get(name) ?? Number.NaN);
  return Number.isNaN(value) ? undefined : value;
}
