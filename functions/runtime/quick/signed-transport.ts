import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpRequest, type HttpResponse } from '@smithy/core/protocols';
import { signerFor } from './signature.ts';

/** What is used of an SDK client: its credentials, transport and clock, so that nothing is configured a second time. */
export type SdkConfig = Pick<
  DynamoDBClient['config'],
  'credentials' | 'region' | 'defaultSigningName' | 'requestHandler' | 'systemClockOffset'
>;

export interface TransportOptions {
  readonly abortSignal?: AbortSignal;
}

/** A POST; headers in small letters, without those of the transport. */
export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of one attempt: an answer, of whatever status, or why there is none. */
export type Outcome = { readonly response: HttpResponse } | { readonly error: unknown };

/**
 * Sends one attempt of a request to AWS, signed, past the SDK's middleware, which costs a multiple of the call itself
 * (docs/adr/0008-quick-first-attempt.md). Undefined when the request could not even be made, for want of an endpoint or of
 * credentials: then nothing was sent.
 */
export function signedTransport(config: SdkConfig, endpoint: () => Promise<URL>) {
  let made: ReturnType<typeof make> | undefined;

  async function make() {
    try {
      return { sign: signerFor(config.defaultSigningName, await config.region()), url: await endpoint() };
    } catch (error) {
      made = undefined;
      throw error;
    }
  }

  async function signed({ path, headers, body }: Post): Promise<HttpRequest> {
    const [{ sign, url }, credentials] = [await (made ??= make()), await config.credentials()];
    const unsigned = {
      path: url.pathname === '/' ? path : url.pathname + path,
      headers: { ...headers, host: url.host },
      body,
    };
    const { protocol, hostname, port } = url;
    return new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: unsigned.path,
      headers: {
        ...sign(unsigned, credentials, new Date(Date.now() + config.systemClockOffset)),
        'content-length': String(Buffer.byteLength(body)),
      },
      body,
    });
  }

  return async (post: Post, options: TransportOptions = {}): Promise<Outcome | undefined> => {
    const request = await signed(post).catch(() => undefined);
    if (!request) return undefined;
    try {
      return await config.requestHandler.handle(request, options);
    } catch (error) {
      return { error };
    }
  };
}
