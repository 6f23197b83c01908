export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface AwsService {
  readonly url: URL;
  readonly region: string;
  readonly signingName: string;
  credentials(): Credentials | undefined;
  /** Milliseconds by which the service's clock is ahead of the local one, as measured by the SDK. */
  clockOffset: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

const ids = {
  dynamodb: { host: 'dynamodb', signingName: 'dynamodb', variable: 'AWS_ENDPOINT_URL_DYNAMODB' },
  sagemaker: { host: 'runtime.sagemaker', signingName: 'sagemaker', variable: 'AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME' },
} as const;

const domains: readonly (readonly [RegExp, string])[] = [
  [/^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d$/, 'amazonaws.com'],
  [/^us-gov-[a-z]+-\d$/, 'amazonaws.com'],
  [/^cn-[a-z]+-\d$/, 'amazonaws.com.cn'],
];

/** Any of these variables requires the SDK's own endpoint and credential resolution. */
const special = [
  'AWS_ACCOUNT_ID',
  'AWS_ACCOUNT_ID_ENDPOINT_MODE',
  'AWS_ENDPOINT_URL',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_PROFILE',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_USE_FIPS_ENDPOINT',
];

/**
 * Resolves a service from Lambda's environment (AWS "Defined runtime environment variables") without the SDK. Returns
 * undefined for other partitions, profiles, FIPS, dual-stack and account endpoints.
 */
export function awsService(id: keyof typeof ids, variables: Variables = process.env): AwsService | undefined {
  const { AWS_REGION: region = '' } = variables;
  const url = URL.parse(variables[ids[id].variable] ?? regionalUrl(id, region) ?? '');
  const credentials = credentialsIn(variables);
  if (!url || !region || !credentials() || special.some((name) => variables[name])) return undefined;
  return { url, region, signingName: ids[id].signingName, credentials, clockOffset: 0 };
}

function regionalUrl(id: keyof typeof ids, region: string): string | undefined {
  const [, domain] = domains.find(([form]) => form.test(region)) ?? [];
  return domain && `https://${ids[id].host}.${region}.${domain}`;
}

const renewBeforeMs = 5 * 60_000;

/** Cached like the SDK's credentials until they expire, because reading the environment is slow. */
function credentialsIn(variables: Variables): AwsService['credentials'] {
  let kept: Credentials | undefined;
  let renewAt = 0;
  return () => {
    if (kept && Date.now() < renewAt) return kept;
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
    const { AWS_SESSION_TOKEN: sessionToken, AWS_CREDENTIAL_EXPIRATION: expiration } = variables;
    renewAt = expiration === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiration) - renewBeforeMs;
    return (kept = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined);
  };
}
