import { DescribeAccountAttributesCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { DescribeEndpointCommand } from '@aws-sdk/client-sagemaker';
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import {
  paginateListAWSDefaultServiceQuotas,
  paginateListServiceQuotas,
  type ServiceQuota,
} from '@aws-sdk/client-service-quotas';
import { GetAccountCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { obstaclesOf } from '#lib/deployable.ts';
import { domainOf } from '#lib/owners.ts';
import { endpointsOf, hostedName, type Stage } from '#lib/stage.ts';
import { findStack } from './account.ts';
import { type Clients, type Finding, isNamed, missing, ok } from './clients.ts';

export async function checkSender(stage: Stage): Promise<Finding> {
  const obstacle = obstaclesOf(stage).find(({ setting }) => setting === 'mail.sender');
  return obstacle
    ? missing(`mail.sender ${obstacle.remedy}.`)
    : ok(`${domainOf(stage.mail.sender)} is not a reserved domain`);
}

export async function checkAlarms(stage: Stage): Promise<Finding> {
  const obstacle = obstaclesOf(stage).find(({ setting }) => setting === 'alarms.email');
  if (obstacle) return missing(`alarms.email ${obstacle.remedy}.`);
  return ok(stage.alarms.email ?? 'alarms only show');
}

/** A new account is in the sandbox and sends only to verified identities. */
export async function checkSending({ ses }: Clients): Promise<Finding> {
  const { ProductionAccessEnabled, SendingEnabled, EnforcementStatus, SendQuota } = await ses.send(
    new GetAccountCommand(),
  );
  if (!ProductionAccessEnabled)
    return missing(
      'SES is in the sandbox and sends to verified identities only: request production access (SES console).',
    );
  if (!SendingEnabled)
    return missing(`SES has paused sending (${EnforcementStatus}): reply to its case (SES console).`);
  return ok(`production access, ${SendQuota?.Max24HourSend ?? 0} mails a day`);
}

/** Checks the identity of the sender's domain or address. The owning stage creates it in its first deployment. */
export async function checkIdentity(
  clients: Clients,
  { name, mail: { sender, identityOwner } }: Stage,
): Promise<Finding> {
  const domain = domainOf(sender);
  const isOwner = identityOwner === name;
  const found = await findIdentity(clients, domain);
  if (isOwner && found && !(await findStack(clients.cloudFormation, `text-ai-${name}-data`)))
    return missing(`${domain} is an identity of the account already: set mail.identityOwner to null.`);
  if (isOwner && !found) return ok(`the stage creates ${domain}; put its DkimRecord outputs into the DNS then`);
  const identities = [found, await findIdentity(clients, sender)].filter((identity) => identity !== undefined);
  if (identities.some(({ isVerified }) => isVerified)) return ok(`${sender} is verified`);
  if (found) return missing(`${domain} is not verified: put its DKIM records into the DNS (SES console).`);
  if (identityOwner === null)
    return missing(`${domain} is no identity: verify it in SES, or set mail.identityOwner to ${name}.`);
  return missing(`${domain} is no identity yet: deploy text-ai-${identityOwner}-data, which creates it.`);
}

async function findIdentity({ ses }: Clients, EmailIdentity: string) {
  try {
    const { VerifiedForSendingStatus } = await ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return { isVerified: VerifiedForSendingStatus === true };
  } catch (error) {
    if (isNamed(error, 'NotFoundException')) return undefined;
    throw error;
  }
}

/** The key of a model server. Its value is not read. */
export async function checkSecret({ secrets }: Clients, name: string): Promise<Finding> {
  try {
    const { DeletedDate } = await secrets.send(new DescribeSecretCommand({ SecretId: name }));
    if (!DeletedDate) return ok('exists');
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException')) throw error;
  }
  return missing(`Secrets Manager has no secret ${name}: create it with the server's API key as its text.`);
}

/** A new account is in the sandbox and sends only to verified numbers (AWS "AWS End User Messaging SMS sandbox"). */
export async function checkMessages({ messages }: Clients): Promise<Finding> {
  const { AccountAttributes = [] } = await messages.send(new DescribeAccountAttributesCommand());
  const tier = AccountAttributes.find(({ Name }) => Name === 'ACCOUNT_TIER')?.Value;
  if (tier === 'PRODUCTION') return ok('production access');
  return missing(
    'End User Messaging is in the sandbox and sends to verified numbers only: request production access (its console).',
  );
}

export function hostedInstances({ models: { hosted } }: Stage): ReadonlyMap<string, number> {
  const byType = Map.groupBy(Object.values(hosted), ({ instanceType }) => instanceType);
  const sum = (models: readonly { readonly maxReplicas: number }[]) =>
    models.reduce((instances, { maxReplicas }) => instances + maxReplicas, 0);
  return new Map([...byType].map(([type, models]) => [type, sum(models)]));
}

export function namedEndpoints(stage: Stage): ReadonlyMap<string, readonly string[]> {
  const created = new Set(Object.keys(stage.models.hosted).map((model) => hostedName(stage, model)));
  const named = [...endpointsOf(stage)].flatMap(([model, endpoints]) =>
    endpoints.flatMap((one) =>
      one.kind === 'sagemaker' && !created.has(one.endpoint) ? [{ model, endpoint: one.endpoint }] : [],
    ),
  );
  const byEndpoint = Map.groupBy(named, ({ endpoint }) => endpoint);
  return new Map([...byEndpoint].map(([endpoint, entries]) => [endpoint, entries.map(({ model }) => model)]));
}

export async function checkInstances({ quotas }: Clients, type: string, needed: number): Promise<Finding> {
  const name = `${type} for endpoint usage`;
  const query = { ServiceCode: 'sagemaker', MaxResults: 100 };
  const applied = paginateListServiceQuotas({ client: quotas }, query);
  const defaults = paginateListAWSDefaultServiceQuotas({ client: quotas }, query);
  const quota = (await findQuota(applied, name)) ?? (await findQuota(defaults, name));
  if (quota === undefined) return missing(`There is no quota “${name}”: choose an instance type of the region.`);
  if (quota >= needed) return ok(`${needed} of ${quota} instances`);
  return missing(`The quota “${name}” is ${quota}, the stage needs ${needed}: request it (Service Quotas, SageMaker).`);
}

async function findQuota(pages: AsyncIterable<{ Quotas?: ServiceQuota[] | undefined }>, name: string) {
  for await (const { Quotas = [] } of pages) {
    const quota = Quotas.find(({ QuotaName }) => QuotaName === name);
    if (quota) return quota.Value ?? 0;
  }
  return undefined;
}

export async function checkEndpoint({ sageMaker }: Clients, EndpointName: string): Promise<Finding> {
  try {
    const { EndpointStatus } = await sageMaker.send(new DescribeEndpointCommand({ EndpointName }));
    if (EndpointStatus === 'InService') return ok(`${EndpointName} is InService`);
    return missing(`${EndpointName} is ${EndpointStatus}: its models return 503 until it is InService.`);
  } catch (error) {
    if (!(error instanceof Error && /could not find endpoint/i.test(error.message))) throw error;
    return missing(`${EndpointName} does not exist: create it, or set models.endpoints or models.hosted of the stage.`);
  }
}
