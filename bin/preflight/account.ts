import { DescribeCertificateCommand, ACMClient } from '@aws-sdk/client-acm';
import { BedrockClient } from '@aws-sdk/client-bedrock';
import { DescribeStacksCommand, CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SageMakerClient } from '@aws-sdk/client-sagemaker';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { ListWebACLsCommand, WAFV2Client } from '@aws-sdk/client-wafv2';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { streamingRegions } from '#lib/deployable.ts';
import { allocatedConcurrency } from '#lib/settings.ts';
import type { Stage } from '#lib/stage.ts';

/** Minimum version of the bootstrap stack (CDK's DefaultStackSynthesizer). */
const minBootstrapVersion = 6;

/** Concurrency that Lambda always leaves unreserved (AWS "Configuring reserved concurrency"). */
const unreservedConcurrency = 100;

export async function checkCredentials({ sts }: Clients, { env, name }: Stage): Promise<Finding> {
  try {
    const { Account = '' } = await sts.send(new GetCallerIdentityCommand());
    if (env === null || env.account === Account) return ok(`account ${Account}`);
    return missing(
      `The credentials are of account ${Account}, the stage ${name} of ${env.account}: use those of ${env.account}.`,
    );
  } catch (error) {
    if (!isNamed(error, 'CredentialsProviderError')) throw error;
    return missing('There are no credentials: run aws login, or set AWS_PROFILE.');
  }
}

/** API Gateway and Lambda stream responses only in the regions of lib/deployable.ts. */
export async function checkRegion(region: string): Promise<Finding> {
  if (streamingRegions.has(region)) return ok(`${region} has Lambda response streaming`);
  return missing(`Lambda response streaming is not available in ${region}: choose a region of lib/deployable.ts.`);
}

export async function checkBootstrap({ cloudFormation }: Clients): Promise<Finding> {
  const remedy = 'run npx cdk bootstrap.';
  const stack = await findStack(cloudFormation, 'CDKToolkit');
  if (!stack) return missing(`The stack CDKToolkit does not exist: ${remedy}`);
  const output = stack.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
  const version = Number(output?.OutputValue ?? 0);
  if (version < minBootstrapVersion)
    return missing(`CDKToolkit has version ${version}, below ${minBootstrapVersion}: ${remedy}`);
  if (!/^(CREATE|UPDATE|IMPORT|UPDATE_ROLLBACK)_COMPLETE$/.test(stack.StackStatus ?? ''))
    return missing(`CDKToolkit is ${stack.StackStatus}: repair it, then ${remedy}`);
  return ok(`CDKToolkit has version ${version}`);
}

export async function findStack(client: Clients['cloudFormation'], StackName: string) {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return stack;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}

/** The account's role for API Gateway logs, which the data stack of the owning stage sets. */
export async function checkGatewayLogs({ cloudFormation }: Clients, owner: string): Promise<Finding> {
  const stack = `text-ai-${owner}-data`;
  if (await findStack(cloudFormation, stack)) return ok(`${stack} sets the account’s role`);
  return missing(`The account has no role for logs of API Gateway yet: deploy ${stack}, which sets it.`);
}

/**
 * Compares the account's quota with the stage's reservations, Lambda's unreserved minimum, and the alarm's threshold.
 */
export async function checkConcurrency({ lambda }: Clients, stage: Stage): Promise<Finding> {
  const { AccountLimit = {} } = await lambda.send(new GetAccountSettingsCommand());
  const { ConcurrentExecutions: quota = 0, UnreservedConcurrentExecutions: unreserved = 0 } = AccountLimit;
  const { claimedConcurrency } = stage.alarms;
  const needed = allocatedConcurrency(stage) + unreservedConcurrency;
  const remedy = 'request a higher quota of concurrent executions (Service Quotas, AWS Lambda).';
  if (unreserved < needed)
    return missing(
      `${unreserved} of ${quota} concurrent executions are unreserved, the stage needs ${needed}: lower reservedConcurrency, or ${remedy}`,
    );
  if (quota <= claimedConcurrency)
    return missing(`alarms.claimedConcurrency is ${claimedConcurrency}, the quota ${quota}: lower it, or ${remedy}`);
  return ok(`${unreserved} of ${quota} concurrent executions are unreserved, the stage needs ${needed}`);
}

/** Default quota of web ACLs per region (AWS "AWS WAF quotas"). */
const maxWebAcls = 100;

export interface Domain {
  readonly name: string;
  readonly certificateArn: string;
}

/** The certificate of the stage's domain must be issued, in us-east-1, and cover the name. */
export async function checkCertificate({ acm }: Clients, { name, certificateArn }: Domain): Promise<Finding> {
  try {
    const { Certificate = {} } = await acm.send(new DescribeCertificateCommand({ CertificateArn: certificateArn }));
    const { Status, SubjectAlternativeNames = [] } = Certificate;
    if (Status !== 'ISSUED') return missing(`The certificate is ${Status}: add its validation records to the DNS.`);
    if (!SubjectAlternativeNames.some((pattern) => covers(pattern, name)))
      return missing(
        `The certificate is for ${SubjectAlternativeNames.join(', ')}: request one for ${name} in us-east-1.`,
      );
    return ok(`issued for ${name}`);
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException')) throw error;
    return missing(`${certificateArn} does not exist: request a certificate for ${name} in us-east-1.`);
  }
}

/** A wildcard matches one label. */
const covers = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.startsWith('*.') && pattern.slice(1) === name.slice(name.indexOf('.')));

export async function checkFirewall({ waf }: Clients): Promise<Finding> {
  const { WebACLs = [] } = await waf.send(new ListWebACLsCommand({ Scope: 'REGIONAL', Limit: maxWebAcls }));
  if (WebACLs.length < maxWebAcls) return ok(`${WebACLs.length} of ${maxWebAcls} web ACLs are used`);
  return missing(
    `All ${maxWebAcls} web ACLs are used: delete one, or request a higher quota (Service Quotas, AWS WAF).`,
  );
}

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
