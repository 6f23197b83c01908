import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

/** What a response of the authenticator claims. A hostile one deviates from its options. */
export interface Claims {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  /** Bits: 1 the user is present, 4 the user was verified. */
  readonly flags?: number;
  readonly counter?: number;
  readonly userHandle?: string;
  /** CBOR of the attestation's format and statement. */
  readonly attestation?: Uint8Array;
}

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
}

const presentAndVerified = 1 + 4;
const hasKey = 64;
const noAttestation = Buffer.concat([cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.of(0xa0)]);

/** An authenticator in software with one key (Web Authentication Level 3, section 6). */
export function authenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let handle = '';
  let counter = 0;

  function clientData(type: string, options: Options, claims: Claims): Buffer {
    const { challenge = options.challenge } = claims;
    return Buffer.from(JSON.stringify({ type: claims.type ?? type, challenge, origin: claims.origin ?? origin }));
  }

  function authenticatorData(rpId: string, flags: number, claims: Claims, key: Uint8Array = Buffer.of()): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(claims.counter ?? (counter += 1));
    return Buffer.concat([sha256(claims.rpId ?? rpId), Buffer.of(claims.flags ?? flags), count, key]);
  }

  function publicKeyData(): Buffer {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const [head, middle] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')];
    const key = [head, Buffer.from(x, 'base64url'), middle, Buffer.from(y, 'base64url')];
    return Buffer.concat([Buffer.alloc(16), length, id, ...key]);
  }

  /** The response to the options of a new passkey. */
  function create(options: Options, claims: Claims = {}) {
    handle = options.user?.id ?? '';
    const data = authenticatorData(options.rp?.id ?? '', presentAndVerified + hasKey, claims, publicKeyData());
    const attestation = claims.attestation ?? noAttestation;
    const object = [Buffer.of(0xa3), attestation, cborText('authData'), cborBytes(data)];
    return credential({
      clientDataJSON: base64url(clientData('webauthn.create', options, claims)),
      attestationObject: base64url(Buffer.concat(object)),
      transports: ['internal'],
    });
  }

  /** The response to the options of a sign-in. */
  function assert(options: Options, claims: Claims = {}) {
    const client = clientData('webauthn.get', options, claims);
    const data = authenticatorData(options.rpId ?? '', presentAndVerified, claims);
    return credential({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
      userHandle: claims.userHandle ?? handle,
    });
  }

  const credential = <R extends object>(response: R) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    response,
  });

  return { create, assert };
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + text.length), Buffer.from(text)]);
}

function cborBytes(bytes: Uint8Array): Buffer {
  const head = Buffer.of(0x59, 0, 0);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
