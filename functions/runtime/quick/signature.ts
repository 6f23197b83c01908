import { createHmac, hash } from 'node:crypto';

/** What signs a request: as AWS hands it out, `sessionToken` with temporary credentials. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A POST with its headers in small letters, `host` among them. `path` is escaped as it is to be sent, once. */
export interface Unsigned {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

  /** The headers to send: those given, the date, the session's token and the signature. */
  return ({ path, headers, body }: Unsigned, credentials: Credentials, at: Date): Record<string, string> => {
    const time = `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const day = time.slice(0, 8);
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const dated = { ...headers, 'x-amz-date': time, ...(sessionToken && { 'x-amz-security-token': sessionToken }) };
    const named = Object.entries(dated).sort(([one], [other]) => (one < other ? -1 : 1));
    const names = named.map(([name]) => name).join(';');
    const lines = named.map(([name, value]) => `${name}:${value}\n`).join('');
    const canonical = `POST\n${escapedAgain(path)}\n\n${lines}\n${names}\n${hash('sha256', body)}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = hmac(keyOf(day, secretAccessKey), toSign);
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...dated, authorization };
  };
}

function hmac({ inner, outer }: Key, text: string): string {
  const within = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer');
  return hash('sha256', Buffer.concat([outer, within]));
}

/** Every service but S3 signs the path escaped twice, with what RFC 3986 reserves escaped too. */
function escapedAgain(path: string): string {
  const escape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return path
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, escape))
    .join('/');
}
