import { createHmac } from 'node:crypto';
import type { Random } from '../../shared/ports.ts';

const secretPrefix = 'whsec_';
/** Standard Webhooks takes 24 to 64. */
const secretBytes = 32;

export function newSecret(random: Random): string {
  return secretPrefix + Buffer.from(random.bytes(secretBytes)).toString('base64');
}

export interface SignedMessage {
  readonly id: string;
  readonly body: string;
}

/** Headers of a request by Standard Webhooks (https://www.standardwebhooks.com), signed with each secret. `timestamp` in epoch seconds. */
export function signedHeaders({ id, body }: SignedMessage, timestamp: number, secrets: readonly string[]) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
