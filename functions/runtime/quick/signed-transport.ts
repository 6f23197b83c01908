import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { attempt, type Outcome, type Wait, type Wire } from './attempt.ts';
import { Connections } from './connection.ts';
import { type Post, wireText } from './post.ts';
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
      const url = await endpoint();
      const sign = signerFor(config.defaultSigningName, await config.region());
      return { sign, url, connections: new Connections(url) };
    } catch (error) {
      made = undefined;
      throw error;
    }
  }

  async function signed({ path, headers, body }: Post): Promise<{ connections: Connections; text: string }> {
    const [{ sign, url, connections }, credentials] = [await (made ??= make()), await config.credentials()];
    const whole = url.pathname === '/' ? path : url.pathname + path;
    const unsigned = { path: whole, headers: { ...headers, host: url.host }, body };
    const at = Date.now() + config.systemClockOffset;
    return { connections, text: wireText({ ...unsigned, headers: sign(unsigned, credentials, at) }) };
  }

  return async (unsigned: Post, wait?: Wait): Promise<Outcome | undefined> => {
    const request = await signed(unsigned).catch(() => undefined);
    return request && attempt(request.connections, request.text, wire, wait);
  };
}
