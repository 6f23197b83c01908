import { ACMClient } from '@aws-sdk/client-acm';
import { BedrockClient } from '@aws-sdk/client-bedrock';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SageMakerClient } from '@aws-sdk/client-sagemaker';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { STSClient } from '@aws-sdk/client-sts';
import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';

/** CloudFront only accepts certificates of this region. */
const certificateRegion = 'us-east-1';

const options = { maxAttempts: 2, requestHandler: { connectionTimeout: 5000, requestTimeout: 10_000 } };

/** Clients of a region with the credentials of the environment or profile. Read-only. */
export const createClients = (region: string) => ({
  acm: new ACMClient({ ...options, region: certificateRegion }),
  /** By region, because models may be in regions other than the stage's. */
  bedrockIn: (other = region) => new BedrockClient({ ...options, region: other }),
  cloudFormation: new CloudFormationClient({ ...options, region }),
  dynamo: DynamoDBDocumentClient.from(new DynamoDBClient({ ...options, region })),
  lambda: new LambdaClient({ ...options, region }),
  messages: new PinpointSMSVoiceV2Client({ ...options, region }),
  quotas: new ServiceQuotasClient({ ...options, region }),
  sageMaker: new SageMakerClient({ ...options, region }),
  secrets: new SecretsManagerClient({ ...options, region }),
  ses: new SESv2Client({ ...options, region }),
  sts: new STSClient({ ...options, region }),
  waf: new WAFV2Client({ ...options, region }),
});
export type Clients = ReturnType<typeof createClients>;

export async function regionOf(own: string | undefined): Promise<string | undefined> {
  const region = [own, process.env['AWS_REGION'], process.env['AWS_DEFAULT_REGION']].find(Boolean);
  if (region !== undefined) return region;
  try {
    return await new STSClient().config.region();
  } catch {
    return undefined;
  }
}

/** `unknown`: the check failed to run. */
export type Status = 'ok' | 'missing' | 'unknown';

export interface Finding {
  readonly status: Status;
  readonly detail: string;
}

export interface Result extends Finding {
  readonly name: string;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const missing = (detail: string): Finding => ({ status: 'missing', detail });
/** Exit status of the command: 0 if nothing is missing or unknown. */
export const exitStatusOf = (results: readonly Result[]): 0 | 1 =>
  results.every(({ status }) => status === 'ok') ? 0 : 1;

export const unknown = (detail: string): Finding => ({ status: 'unknown', detail });

/**
 * Runs a check. A failed call is reported as `unknown` with its error and does not stop the other checks. An
 * unresolvable host name is `missing`: AWS does not offer the service in the region.
 */
export async function run(name: string, check: () => Promise<Finding>): Promise<Result> {
  return { name, ...(await check().catch((error: unknown) => unavailable(error) ?? unknown(reasonOf(error)))) };
}

function unavailable(error: unknown): Finding | undefined {
  if (!v.is(Unresolved, error)) return undefined;
  return missing(
    `${error.hostname} does not exist: the region does not have this service, or there is no connection. Choose another region.`,
  );
}

/** Error of a failed DNS lookup (Node.js "dns.lookup"). */
const Unresolved = v.object({ code: v.literal('ENOTFOUND'), hostname: v.string() });

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (name === 'CredentialsProviderError') return 'not checked without credentials';
  const remedy = /denied|unauthorized/i.test(name)
    ? ' Allow the action to your credentials, or check it in the console.'
    : '';
  return `${name}: ${message}${remedy}`;
}

export const isNamed = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);
