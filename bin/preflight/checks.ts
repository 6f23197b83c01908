import { GetFoundationModelAvailabilityCommand, GetInferenceProfileCommand } from '@aws-sdk/client-bedrock';
import { DescribeAccountAttributesCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { DescribeEndpointCommand } from '@aws-sdk/client-sagemaker';
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import {
  paginateListAWSDefaultServiceQuotas,
  paginateListServiceQuotas,
  type ServiceQuota,
} from '@aws-sdk/client-service-quotas';
import { GetAccountCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { offer } from '#contract/offer/current-offer.ts';
import { type BedrockEndpoint, bedrockModel, bedrockRegion } from '#contract/offer/offer.ts';
import { StripeSecret } from '#contract/payments/stripe-secret.ts';
import { domainOf, obstaclesOf } from '#lib/deployable.ts';
import { secretsOf, type Stage, allEndpoints, endpointsOf, hostedName } from '#lib/stage.ts';
import { missingFromOffer } from '#runtime/services/offer-use.ts';
import { modeOf, parseSecret, readSecret } from '../stripe/set-up.ts';
import {
  checkBootstrap,
  checkCertificate,
  checkConcurrency,
  checkCredentials,
  checkFirewall,
  checkGatewayLogs,
  checkRegion,
  findStack,
  type Clients,
  createClients,
  missing,
  regionOf,
  type Result,
  run,
  type Finding,
  isNamed,
  ok,
  unknown,
} from './account.ts';

/** Checks the account for the first deployment of a stage. Read-only. */
export async function preflight(stage: Stage): Promise<readonly Result[]> {
  const region = await regionOf(stage.env?.region);
  if (region === undefined)
    return [{ name: 'Region', ...missing('There is no region: set AWS_REGION, or env of the stage.') }];
  const clients = createClients(region);
  const offer = offerChecks(clients, stage);
  const results = await Promise.all([
    run('Credentials', () => checkCredentials(clients, stage)),
    run('Region', () => checkRegion(region)),
    run('CDK bootstrap', () => checkBootstrap(clients)),
    run('Lambda concurrency', () => checkConcurrency(clients, stage)),
    run('Mail sender', () => checkSender(stage)),
    run('Alarms', () => checkAlarms(stage)),
    run('SES sending', () => checkSending(clients)),
    run('SES identity', () => checkIdentity(clients, stage)),
    ...gatewayChecks(clients, stage),
    ...edgeChecks(clients, stage),
    ...modelChecks(clients, stage),
    ...paymentChecks(clients, stage),
    ...(stage.messages.countries.length > 0 ? [run('Messages', () => checkMessages(clients))] : []),
  ]);
  return [...results, ...(await offer)];
}

/** The owner sets the role itself. A stage without an owner relies on the account's role. */
function gatewayChecks(clients: Clients, { name, gatewayLogsOwner: owner }: Stage): Promise<Result>[] {
  return owner === null || owner === name ? [] : [run('API Gateway logs', () => checkGatewayLogs(clients, owner))];
}

function edgeChecks(clients: Clients, { frontDoor, firewall }: Stage): Promise<Result>[] {
  const domain = frontDoor.kind === 'edge' ? frontDoor.domain : null;
  return [
    ...(domain ? [run(`Certificate ${domain.name}`, () => checkCertificate(clients, domain))] : []),
    ...(firewall ? [run('AWS WAF', () => checkFirewall(clients))] : []),
  ];
}

function paymentChecks(clients: Clients, { payments }: Stage): Promise<Result>[] {
  return payments ? [run('Payments', () => checkPayments(clients, payments.stripe))] : [];
}

function modelChecks(clients: Clients, stage: Stage): Promise<Result>[] {
  const instances = [...hostedInstances(stage)].map(([type, needed]) =>
    run(`Instances ${type}`, () => checkInstances(clients, type, needed)),
  );
  const endpoints = [...namedEndpoints(stage)].map(([endpoint, models]) =>
    run(`Endpoint of ${models.join(', ')}`, () => checkEndpoint(clients, endpoint)),
  );
  const secrets = secretsOf(stage).map((name) => run(`Secret ${name}`, () => checkSecret(clients, name)));
  const bedrock = bedrockEndpoints(stage).map((endpoint) =>
    run(`Bedrock ${endpoint.model}`, () => checkBedrock(clients, endpoint)),
  );
  return [...instances, ...endpoints, ...bedrock, ...secrets];
}

async function checkSender(stage: Stage): Promise<Finding> {
  const obstacle = obstaclesOf(stage).find(({ setting }) => setting === 'mail.sender');
  return obstacle
    ? missing(`mail.sender ${obstacle.remedy}.`)
    : ok(`${domainOf(stage.mail.sender)} is not a reserved domain`);
}

async function checkAlarms(stage: Stage): Promise<Finding> {
  const obstacle = obstaclesOf(stage).find(({ setting }) => setting === 'alarms.email');
  if (obstacle) return missing(`alarms.email ${obstacle.remedy}.`);
  return ok(stage.alarms.email ?? 'alarms only show');
}

/** A new account is in the sandbox and sends only to verified identities. */
async function checkSending({ ses }: Clients): Promise<Finding> {
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
async function checkIdentity(clients: Clients, { name, mail: { sender, identityOwner } }: Stage): Promise<Finding> {
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
async function checkSecret({ secrets }: Clients, name: string): Promise<Finding> {
  try {
    const { DeletedDate } = await secrets.send(new DescribeSecretCommand({ SecretId: name }));
    if (!DeletedDate) return ok('exists');
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException')) throw error;
  }
  return missing(`Secrets Manager has no secret ${name}: create it with the server's API key as its text.`);
}

/** A new account is in the sandbox and sends only to verified numbers (AWS "AWS End User Messaging SMS sandbox"). */
async function checkMessages({ messages }: Clients): Promise<Finding> {
  const { AccountAttributes = [] } = await messages.send(new DescribeAccountAttributesCommand());
  const tier = AccountAttributes.find(({ Name }) => Name === 'ACCOUNT_TIER')?.Value;
  if (tier === 'PRODUCTION') return ok('production access');
  return missing(
    'End User Messaging is in the sandbox and sends to verified numbers only: request production access (its console).',
  );
}

function hostedInstances({ models: { hosted } }: Stage): ReadonlyMap<string, number> {
  const byType = Map.groupBy(Object.values(hosted), ({ instanceType }) => instanceType);
  const sum = (models: readonly { readonly maxReplicas: number }[]) =>
    models.reduce((instances, { maxReplicas }) => instances + maxReplicas, 0);
  return new Map([...byType].map(([type, models]) => [type, sum(models)]));
}

function namedEndpoints(stage: Stage): ReadonlyMap<string, readonly string[]> {
  const created = new Set(Object.keys(stage.models.hosted).map((model) => hostedName(stage, model)));
  const named = [...endpointsOf(stage)].flatMap(([model, endpoints]) =>
    endpoints.flatMap((one) =>
      one.kind === 'sagemaker' && !created.has(one.endpoint) ? [{ model, endpoint: one.endpoint }] : [],
    ),
  );
  const byEndpoint = Map.groupBy(named, ({ endpoint }) => endpoint);
  return new Map([...byEndpoint].map(([endpoint, entries]) => [endpoint, entries.map(({ model }) => model)]));
}

async function checkInstances({ quotas }: Clients, type: string, needed: number): Promise<Finding> {
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

async function checkEndpoint({ sageMaker }: Clients, EndpointName: string): Promise<Finding> {
  try {
    const { EndpointStatus } = await sageMaker.send(new DescribeEndpointCommand({ EndpointName }));
    if (EndpointStatus === 'InService') return ok(`${EndpointName} is InService`);
    return missing(`${EndpointName} is ${EndpointStatus}: its models return 503 until it is InService.`);
  } catch (error) {
    if (!(error instanceof Error && /could not find endpoint/i.test(error.message))) throw error;
    return missing(`${EndpointName} does not exist: create it, or set models.endpoints or models.hosted of the stage.`);
  }
}

/** Returns the Bedrock models of a stage, without duplicates. */
function bedrockEndpoints(stage: Stage): readonly BedrockEndpoint[] {
  const all = allEndpoints(stage).filter((endpoint) => endpoint.kind === 'bedrock');
  return [...new Map(all.map((endpoint) => [`${endpoint.model} ${endpoint.region}`, endpoint])).values()];
}

/** Checks access to a model in its region and through its inference profile, without calling it. */
async function checkBedrock({ bedrockIn }: Clients, endpoint: BedrockEndpoint): Promise<Finding> {
  const model = bedrockModel(endpoint);
  const client = bedrockIn(bedrockRegion(endpoint));
  const region = await client.config.region();
  const profile = model.kind === 'profile' ? model.id : model.kind === 'arn' && model.isProfile ? model.arn : undefined;
  try {
    if (profile !== undefined) {
      const { status } = await client.send(new GetInferenceProfileCommand({ inferenceProfileIdentifier: profile }));
      if (status !== 'ACTIVE') return missing(`The inference profile ${profile} is ${status} in ${region}.`);
    }
    if (model.kind === 'arn')
      return ok(profile === undefined ? 'an ARN, which is not checked' : 'the profile is active');
    const modelId = model.kind === 'profile' ? model.model : model.id;
    const found = await client.send(new GetFoundationModelAvailabilityCommand({ modelId }));
    if (found.regionAvailability !== 'AVAILABLE') return missing(`${modelId} is not available in ${region}.`);
    const isGranted = found.authorizationStatus === 'AUTHORIZED' && found.entitlementAvailability === 'AVAILABLE';
    if (isGranted && found.agreementAvailability?.status === 'AVAILABLE')
      return ok(`the account may call it in ${region}`);
    return missing(
      `The account may not call ${modelId} in ${region}: accept its agreement (Bedrock console, Model catalog).`,
    );
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException', 'ValidationException')) throw error;
    return missing(
      `${endpoint.model} does not exist in ${region}: use the id of a model or inference profile of the region (Bedrock console).`,
    );
  }
}

/** Reports the mode of the API key. In test mode no card is charged. */
async function checkPayments(
  { secrets }: Clients,
  { secret, secretKeyArn }: NonNullable<Stage['payments']>['stripe'],
): Promise<Finding> {
  const found = await findSecret(secrets, secret);
  if (!found) {
    return missing(
      `Secrets Manager has no secret ${secret}: create it with {"apiKey": "rk_test_…", "webhookSecrets": ["whsec_…"]} as its text.`,
    );
  }
  if (found.KmsKeyId !== undefined && secretKeyArn === undefined)
    return missing(
      `The secret ${secret} has a customer-managed key: set payments.stripe.secretKeyArn to the ARN of ${found.KmsKeyId}.`,
    );
  const parsed = parseSecret(StripeSecret, await readSecret(secrets, secret));
  if ('fault' in parsed) return missing(`The secret ${secret} is invalid: ${parsed.fault}.`);
  const kind = parsed.apiKey.startsWith('rk_') ? 'restricted key' : 'unrestricted key, prefer a restricted one';
  return ok(
    modeOf(parsed.apiKey) === 'live' ? `live mode, ${kind}` : `test mode, in which no card is charged, ${kind}`,
  );
}

async function findSecret(client: Clients['secrets'], SecretId: string) {
  try {
    const found = await client.send(new DescribeSecretCommand({ SecretId }));
    return found.DeletedDate ? undefined : found;
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException')) throw error;
    return undefined;
  }
}

/** Bounds the scan of the tables: about 20 GB. */
const maxMs = 5 * 60_000;

/**
 * Checks that the offer contains the plans and models of the accounts, keys and agents of a deployed stage. Returns no
 * checks before the first deployment.
 */
async function offerChecks(clients: Clients, { name }: Stage): Promise<Result[]> {
  const stack = await findStack(clients.cloudFormation, `text-ai-${name}-data`).catch(() => undefined);
  const outputs = new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const [meters, agents] = [outputs.get('metersTableName'), outputs.get('agentsTableName')];
  if (meters === undefined || agents === undefined) return [];
  return [await run('Offer', () => checkOffer(clients, { meters, agents }))];
}

async function checkOffer({ dynamo }: Clients, tables: { meters: string; agents: string }): Promise<Finding> {
  const gaps = await missingFromOffer(dynamo, tables, offer, AbortSignal.timeout(maxMs));
  if (gaps.missing !== undefined) return missing(gaps.missing);
  if (!gaps.isComplete)
    return unknown('Reading all accounts and agents takes more than 5 minutes; nothing is missing so far.');
  return ok(`version ${offer.version} has the plans and models of all accounts, keys and agents`);
}
