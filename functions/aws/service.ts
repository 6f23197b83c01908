import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import aws4 from 'aws4';
import type { HttpRequest } from './transport.ts';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Absent for permanent credentials. */
  readonly sessionToken?: string;
}

/** Endpoint of an AWS service, with the credentials to use. */
export interface AwsService {
  readonly url: URL;
  readonly region: string;
  readonly signingName: string;
  credentials(): Credentials | undefined;
  /** Milliseconds that the service's clock is ahead of the local clock, as the SDK measured it. */
  clockOffset: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

const services = {
  dynamodb: { host: 'dynamodb', signingName: 'dynamodb', variable: 'AWS_ENDPOINT_URL_DYNAMODB' },
  sagemaker: { host: 'runtime.sagemaker', signingName: 'sagemaker', variable: 'AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME' },
} as const;

/** Domains of the supported partitions, by the pattern of their regions. */
const domains: readonly (readonly [RegExp, string])[] = [
  [/^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d$/, 'amazonaws.com'],
  [/^us-gov-[a-z]+-\d$/, 'amazonaws.com'],
  [/^cn-[a-z]+-\d$/, 'amazonaws.com.cn'],
];

/** Variables that change the endpoint or the credentials in ways that only the SDK implements. */
const sdkOnly = [
  'AWS_ACCOUNT_ID',
  'AWS_ACCOUNT_ID_ENDPOINT_MODE',
  'AWS_ENDPOINT_URL',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_PROFILE',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_USE_FIPS_ENDPOINT',
];

/**
 * Finds a service from the variables that Lambda sets (AWS "Defined runtime environment variables"), without loading
 * the SDK. Returns undefined if only the SDK can find it: other partitions, profiles, FIPS, dual stack, account
 * endpoints.
 */
export function awsService(id: keyof typeof services, variables: Variables = process.env): AwsService | undefined {
  const { AWS_REGION: region = '' } = variables;
  const { host, signingName, variable } = services[id];
  const [, domain] = domains.find(([format]) => format.test(region)) ?? [];
  const url = URL.parse(variables[variable] ?? (domain ? `https://${host}.${region}.${domain}` : ''));
  const credentials = credentialsIn(variables);
  if (!url || !region || !credentials() || sdkOnly.some((name) => variables[name])) return undefined;
  return { url, region, signingName, credentials, clockOffset: 0 };
}

const renewBeforeMs = 5 * 60_000;

/** Caches the credentials until shortly before they expire, like the SDK, because reading six variables is slow. */
function credentialsIn(variables: Variables): AwsService['credentials'] {
  let cached: Credentials | undefined;
  let renewAt = 0;
  return () => {
    if (cached && Date.now() < renewAt) return cached;
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
    const { AWS_SESSION_TOKEN: sessionToken, AWS_CREDENTIAL_EXPIRATION: expiration } = variables;
    renewAt = expiration === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiration) - renewBeforeMs;
    const session = sessionToken ? { sessionToken } : {};
    return (cached = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, ...session } : undefined);
  };
}

/** The current signing key of each service. */
const signingKeys = new Map<string, { readonly from: string; readonly key: KeyObject }>();

/** Signs with a KeyObject: with a Buffer, as in the package, Node.js takes seven times as long. */
class Signer extends aws4.RequestSigner {
  override signature(): string {
    return createHmac('sha256', this.#key()).update(this.stringToSign()).digest('hex');
  }

  #key(): KeyObject {
    const { region, service, credentials } = this;
    const place = `${region}/${service}`;
    const from = `${this.getDate()}/${credentials.secretAccessKey}`;
    const known = signingKeys.get(place);
    if (known?.from === from) return known.key;
    let derived = Buffer.from(`AWS4${credentials.secretAccessKey}`);
    for (const part of [this.getDate(), region, service, 'aws4_request'])
      derived = createHmac('sha256', derived).update(part).digest();
    const key = createSecretKey(derived);
    signingKeys.set(place, { from, key });
    return key;
  }
}

/** Signs a request with Signature Version 4 as of `at`, in Unix milliseconds. Returns undefined without credentials. */
export function sign(service: AwsService, request: HttpRequest, at: number): HttpRequest | undefined {
  const credentials = service.credentials();
  if (!credentials) return undefined;
  const { url, region, signingName } = service;
  const { sessionToken } = credentials;
  const { body } = request;
  const path = url.pathname.replace(/\/$/, '') + request.path;
  const headers = {
    ...request.headers,
    host: url.host,
    'x-amz-date': `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const bytes = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  const target = { method: 'POST', service: signingName, region, path, headers, body: bytes };
  const signed = new Signer(target, credentials).sign();
  return { path, headers: { ...headers, authorization: String(signed.headers?.['Authorization']) }, body };
}
