import { BodyTooLarge, collectBody } from '#gateways/bounded-body.ts';
import type { AwsService } from '../aws/aws-service.ts';
import { type HttpRequest, signerFor } from '../aws/signature.ts';
import { type AttemptResult, attempt, type Cancellation, type TransportOptions } from './attempt.ts';
import { Connections } from './connections.ts';

export type Send = (cancellation?: Cancellation) => Promise<AttemptResult | undefined>;

/**
 * Sends signed requests without the SDK's middleware, whose overhead is a multiple of the call
 * (docs/adr/0008-quick-first-attempt.md).
 */
export function signedTransport(service: AwsService, options: TransportOptions) {
  const { url, region, signingName } = service;
  const connections = new Connections(url.origin);
  const sign = signerFor(signingName, region);
  const prefix = url.pathname.replace(/\/$/, '');

  function signed({ path, headers, body }: HttpRequest): HttpRequest | undefined {
    const credentials = service.credentials();
    if (!credentials) return undefined;
    const unsigned = { path: prefix + path, headers: { ...headers, host: url.host }, body };
    return { ...unsigned, headers: sign(unsigned, credentials, Date.now() + service.clockOffset) };
  }

  return (unsigned: HttpRequest): Send => {
    const request = signed(unsigned);
    return async (cancellation) => request && attempt(connections, request, options, cancellation);
  };
}

/**
 * Reads the body of a 200 response. Rejects with BodyTooLarge above `maxBytes`. Returns any other result for the SDK.
 */
export async function bodyOf(
  result: AttemptResult | undefined,
  maxBytes: number,
): Promise<string | AttemptResult | undefined> {
  if (!result || 'error' in result || result.response.status !== 200) return result;
  try {
    const expected = Number(result.response.headers['content-length']) || 0;
    return (await collectBody(result.response, maxBytes, expected)).toString();
  } catch (error) {
    if (error instanceof BodyTooLarge) throw error;
    return result;
  }
}
