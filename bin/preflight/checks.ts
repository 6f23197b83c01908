import { secretsOf, type Stage } from '#lib/stage.ts';
import {
  checkBootstrap,
  checkCertificate,
  checkConcurrency,
  checkCredentials,
  checkFirewall,
  checkGatewayLogs,
  checkRegion,
} from './account.ts';
import { type Clients, createClients, missing, regionOf, type Result, run } from './clients.ts';
import {
  bedrockEndpoints,
  checkAlarms,
  checkBedrock,
  checkEndpoint,
  checkIdentity,
  checkInstances,
  checkMessages,
  checkPayments,
  checkSecret,
  checkSender,
  checkSending,
  hostedInstances,
  namedEndpoints,
  offerChecks,
} from './services.ts';

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
