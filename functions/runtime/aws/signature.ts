import { createHmac, hash } from 'node:crypto';
import type { Credentials } from './aws-service.ts';

/** A POST request. Header names are lower-case and include `host`. */
export interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The inner and outer HMAC blocks (RFC 2104), precomputed so that a signature costs two hashes and no key object. */
interface Key {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const blockBytes = 64;

/**
 * Signs requests (AWS "Create a signed AWS API request") in half the time of the SDK
 * (docs/adr/0008-quick-first-attempt.md).
 */
export function signerFor(service: string, region: string) {
  let made: { readonly day: string; readonly secret: string; readonly key: Key } | undefined;
  let stamp = { second: -1, time: '', day: '' };

  function keyOf(day: string, secret: string): Key {
    if (made?.day !== day || made.secret !== secret) made = { day, secret, key: derived(day, secret) };
    return made.key;
  }

  function derived(day: string, secret: string): Key {
    const steps = [day, region, service, 'aws4_request'];
    const key = steps.reduce(
      (last: string | Buffer, step) => createHmac('sha256', last).update(step).digest(),
      `AWS4${secret}`,
    );
    const padded = Buffer.alloc(blockBytes, key).fill(0, key.length);
    return { inner: padded.map((byte) => byte ^ 0x36), outer: padded.map((byte) => byte ^ 0x5c) };
  }

  function timestampOf(at: number): { readonly time: string; readonly day: string } {
    const second = Math.floor(at / 1000);
    if (stamp.second !== second) {
      const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
      stamp = { second, time, day: time.slice(0, 8) };
    }
    return stamp;
  }

  return ({ path, headers, body }: HttpRequest, credentials: Credentials, at: number): Record<string, string> => {
    const { time, day } = timestampOf(at);
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const sent: Record<string, string> = { ...headers, 'x-amz-date': time };
    if (sessionToken) sent['x-amz-security-token'] = sessionToken;
    const sorted = Object.keys(sent).toSorted();
    const names = sorted.join(';');
    let canonical = `POST\n${escapePath(path)}\n\n`;
    for (const name of sorted) canonical += `${name}:${sent[name]}\n`;
    canonical += `\n${names}\n${hash('sha256', body)}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const signature = hmac(
      keyOf(day, secretAccessKey),
      `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`,
    );
    sent['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return sent;
  };
}

/** Shared by all signatures: the inner key block followed by the text. */
const innerBlock = Buffer.alloc(1024);
const outerBlock = Buffer.alloc(blockBytes + 32);

function hmac({ inner, outer }: Key, text: string): string {
  innerBlock.set(inner);
  const length = innerBlock.write(text, blockBytes, 'latin1');
  outerBlock.set(outer);
  outerBlock.set(hash('sha256', innerBlock.subarray(0, blockBytes + length), 'buffer'), blockBytes);
  return hash('sha256', outerBlock);
}

/** All services except S3 escape the path twice, including the characters that RFC 3986 reserves. */
function escapePath(path: string): string {
  if (/^[\w./~-]*$/.test(path)) return path;
  const escape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return path
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, escape))
    .join('/');
}
