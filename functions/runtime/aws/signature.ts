import { createHmac, hash } from 'node:crypto';
import type { Credentials } from './aws-service.ts';

/** A POST; header names in lower case, `host` among them. */
export interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** HMAC's two blocks of a key (RFC 2104), so that a request is signed with two hashes and makes no key object. */
interface Key {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const blockBytes = 64;

/**
 * Signature Version 4 (AWS "Create a signed AWS API request") for one service and region. The SDK's signer costs about
 * twice as much (docs/adr/0008-quick-first-attempt.md); a test holds both to the same signature.
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

  /** Requests of one second have their date in common. */
  function stampOf(at: number): { readonly time: string; readonly day: string } {
    const second = Math.floor(at / 1000);
    if (stamp.second !== second) {
      const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
      stamp = { second, time, day: time.slice(0, 8) };
    }
    return stamp;
  }

  /** The headers to send: those given (`host` among them), the date, the session's token and the signature. */
  return ({ path, headers, body }: HttpRequest, credentials: Credentials, at: number): Record<string, string> => {
    const { time, day } = stampOf(at);
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const sent: Record<string, string> = { ...headers, 'x-amz-date': time };
    if (sessionToken) sent['x-amz-security-token'] = sessionToken;
    const sorted = Object.keys(sent).toSorted();
    const names = sorted.join(';');
    let canonical = `POST\n${escapedAgain(path)}\n\n`;
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

/** Reused by every signature: the key's inner block, then the text. */
const innerBlock = Buffer.alloc(1024);
const outerBlock = Buffer.alloc(blockBytes + 32);

function hmac({ inner, outer }: Key, text: string): string {
  innerBlock.set(inner);
  const length = innerBlock.write(text, blockBytes, 'latin1');
  outerBlock.set(outer);
  outerBlock.set(hash('sha256', innerBlock.subarray(0, blockBytes + length), 'buffer'), blockBytes);
  return hash('sha256', outerBlock);
}

/** Every service but S3 signs the path escaped twice, with what RFC 3986 reserves escaped too. */
function escapedAgain(path: string): string {
  if (/^[\w./~-]*$/.test(path)) return path;
  const escape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return path
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, escape))
    .join('/');
}
