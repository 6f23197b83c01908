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

/** Sends a request that is signed, and tells what became of it. Undefined when it could not be signed: then nothing was sent. */
export type Send = (wait?: Wait) => Promise<Outcome | undefined>;

interface Signed {
  readonly connections: Connections;
  readonly text: string;
}

/**
 * Signs a request to AWS, and gives back what sends one attempt of it past the SDK's middleware, which costs a multiple of the
 * call itself (docs/adr/0008-quick-first-attempt.md). Without an endpoint or credentials it cannot be signed.
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

  async function signed({ path, headers, body }: Post): Promise<Signed> {
    const [{ sign, url, connections }, credentials] = [await (made ??= make()), await config.credentials()];
    const whole = url.pathname === '/' ? path : url.pathname + path;
    const unsigned = { path: whole, headers: { ...headers, host: url.host }, body };
    const at = Date.now() + config.systemClockOffset;
    return { connections, text: wireText({ ...unsigned, headers: sign(unsigned, credentials, at) }) };
  }

  return (unsigned: Post): Send => {
    // Looked at before it is waited for: what was made ready leaves at once, before whoever sends it sets a timer.
    let ready: Signed | undefined;
    const made = signed(unsigned).then(
      (request) => (ready = request),
      () => undefined,
    );
    return async (wait) => {
      const request = ready ?? (await made);
      return request && attempt(request.connections, request.text, wire, wait);
    };
  };
}
