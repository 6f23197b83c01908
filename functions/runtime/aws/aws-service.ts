/** What signs a request: as AWS hands it out, `sessionToken` with temporary credentials. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where a service of AWS is, and what requests to it are signed with. */
export interface AwsService {
  readonly url: URL;
  readonly region: string;
  readonly signingName: string;
  credentials(): Credentials | undefined;
  /** Milliseconds that the service's clock is ahead of this machine's, as the SDK has found out. */
  clockOffset: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

const ids = {
  dynamodb: { host: 'dynamodb', signingName: 'dynamodb', variable: 'AWS_ENDPOINT_URL_DYNAMODB' },
  sagemaker: { host: 'runtime.sagemaker', signingName: 'sagemaker', variable: 'AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME' },
} as const;

/** By the form of a partition's regions, the domain of its services. */
const domains: readonly (readonly [RegExp, string])[] = [
  [/^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d$/, 'amazonaws.com'],
  [/^us-gov-[a-z]+-\d$/, 'amazonaws.com'],
  [/^cn-[a-z]+-\d$/, 'amazonaws.com.cn'],
];

/** With one of these there is more to look at than what is read here. */
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
 * A service as the SDK finds it, by what Lambda puts into the environment (AWS "Defined runtime environment variables"), without
 * loading the SDK. Undefined where only the SDK can find it: in other partitions, by a profile, with FIPS, dual stack or account
 * endpoints.
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

/** Kept as the SDK keeps them: for good, unless they have an expiration; reading the environment takes long for what it is. */
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
