import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inputWithAttributes } from './attributes.ts';
import { BodyTooLarge, collectBody } from './bounded-body.ts';
import type { AdaptCommand } from './first-result.ts';
import { type AwsService, sign } from './service.ts';
import {
  type AttemptResult,
  attempt,
  type Cancellation,
  Connections,
  type HttpRequest,
  type TransportOptions,
} from './transport.ts';

/** Sends one attempt of a signed request. Without credentials, resolves to undefined and sends nothing. */
export type Send = (cancellation?: Cancellation) => Promise<AttemptResult | undefined>;

/**
 * Signs requests to a service, so that each can be sent later. The SDK's middleware costs several times as much
 * processor time (docs/adr/0008-quick-first-attempt.md).
 */
export function firstAttempts(service: AwsService, options: TransportOptions): (request: HttpRequest) => Send {
  const connections = new Connections(service.url.origin, Date.now, options.originOf);
  return (request) => {
    const signed = sign(service, request, Date.now() + service.clockOffset);
    return async (cancellation) => signed && attempt(connections, signed, options, cancellation);
  };
}

/**
 * Reads the whole body of a 200 response. Returns every other result unchanged, including a truncated response: the SDK
 * reads it again and fails in the same way. Throws BodyTooLarge above `maxBytes`.
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

/** DynamoDB limits a read to 1 MB of items, which can be several times as long in JSON. */
const maxDynamoBytes = 8 * 1024 * 1024;

/** Reads an operation's output from a response body, or from the SDK, to whose command `adapt` is applied. */
interface Output<T> {
  readonly read: (body: string) => T;
  readonly viaSdk: (client: DynamoDBDocumentClient, adapt: AdaptCommand) => Promise<T>;
}

/** Sends DynamoDB operations. Any result but a 200 becomes the first attempt of the SDK, which decides on retries. */
export function dynamoSender(
  service: AwsService,
  loadClient: () => Promise<DynamoDBDocumentClient>,
  options: TransportOptions,
) {
  const prepare = firstAttempts(service, options);
  return async <T>(operation: string, input: object, { read, viaSdk }: Output<T>): Promise<T> => {
    const request = {
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: JSON.stringify(inputWithAttributes(input)),
    };
    const result = await bodyOf(await prepare(request)(), maxDynamoBytes);
    if (typeof result === 'string') return read(result);
    const [client, { firstResult }] = await Promise.all([loadClient(), import('./first-result.ts')]);
    return viaSdk(client, firstResult(result)).finally(() => {
      service.clockOffset = client.config.systemClockOffset;
    });
  };
}
