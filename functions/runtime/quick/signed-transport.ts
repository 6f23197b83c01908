import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { attempt, type Outcome, type Post, type Wire } from './attempt.ts';
import { signerFor } from './signature.ts';

/** What is used of an SDK client: its credentials, region and clock, so that nothing is configured a second time. */
export type SdkConfig = Pick<
  DynamoDBClient['config'],
  'credentials' | 'region' | 'defaultSigningName' | 'systemClockOffset'
>;

/**
 * Sends one attempt of a request to AWS, signed, past the SDK's middleware, which costs a multiple of the call itself
 * (docs/adr/0008-quick-first-attempt.md). Undefined when the request could not even be made, for want of an endpoint or of
 * credentials: then nothing was sent.
 */
export function signedTransport(config: SdkConfig, wire: Wire, endpoint: () => Promise<URL>) {
  let made: ReturnType<typeof make> | undefined;

  async function make() {
    try {
      return { sign: signerFor(config.defaultSigningName, await config.region()), url: await endpoint() };
    } catch (error) {
      made = undefined;
      throw error;
    }
  }

  async function signed({ path, headers, body }: Post): Promise<{ url: URL; post: Post }> {
    const [{ sign, url }, credentials] = [await (made ??= make()), await config.credentials()];
    const whole = url.pathname === '/' ? path : url.pathname + path;
    const unsigned = { path: whole, headers: { ...headers, host: url.host }, body };
    const at = Date.now() + config.systemClockOffset;
    return { url, post: { path: whole, headers: sign(unsigned, credentials, at), body } };
  }

  return async (unsigned: Post, abortSignal?: AbortSignal): Promise<Outcome | undefined> => {
    const request = await signed(unsigned).catch(() => undefined);
    return request && attempt(request.url, request.post, wire, abortSignal);
  };
}
