import { beforeEach, describe, expect, test } from 'vitest';
import { live, parseStage } from '#lib/stages.ts';
import { hostedModel } from '#test/stages/hosted-model.ts';
import { run } from '../../../bin/preflight/account.ts';
import { preflight } from '../../../bin/preflight/checks.ts';
import { type Stub, useStubAws, type StubResponse } from '../stub-aws.ts';
import {
  callerIdentity,
  certificate,
  concurrency,
  endpoint,
  failure,
  identity,
  noEndpoint,
  noIdentity,
  noStack,
  quotas,
  readyAccount,
  sending,
  stack,
  webAcls,
} from './account.ts';

const domain = { name: 'text.example.com', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/abc' };
const choices = {
  ...live,
  env: { account: '111111111111', region: 'eu-west-1' },
  frontDoor: { kind: 'edge', domain },
  mail: { ...live.mail, sender: 'no-reply@own-domain.net' },
  alarms: { ...live.alarms, email: 'operators@own-domain.net' },
  models: { ...live.models, hosted: { 'svc-1': hostedModel } },
  provisionedConcurrency: { 'create-chat-completion': 50 },
};
const stage = parseStage(choices);

const instances = 'ml.g5.xlarge for endpoint usage';

const aws = await useStubAws();
beforeEach(() => aws.play(readyAccount));

const play = (changes: Stub): void => aws.play({ ...readyAccount, ...changes });

/** The results of a stage by check. */
async function resultsOf(checked = stage) {
  const results = await preflight(checked);
  return new Map(results.map(({ name, status, detail }) => [name, `${status}: ${detail}`]));
}

test('a prepared account passes every check of a stage with every option', async () => {
  const results = await resultsOf();
  expect(Object.fromEntries(results)).toEqual({
    Credentials: 'ok: account 111111111111',
    Region: 'ok: eu-west-1 has Lambda response streaming',
    'CDK bootstrap': 'ok: CDKToolkit has version 28',
    'Lambda concurrency': 'ok: 1000 of 1000 concurrent executions are unreserved, the stage needs 252',
    'SES sending': 'ok: production access, 50000 mails a day',
    'Mail sender': 'ok: own-domain.net is not a reserved domain',
    Alarms: 'ok: operators@own-domain.net',
    'SES identity': 'ok: the stage creates own-domain.net; put its DkimRecord outputs into the DNS then',
    'Certificate text.example.com': 'ok: issued for text.example.com',
    'AWS WAF': 'ok: 3 of 100 web ACLs are used',
    'Instances ml.g5.xlarge': 'ok: 2 of 2 instances',
    'Endpoint of svc-1-32k': 'ok: svc-1-32k is InService',
    'Endpoint of svc-instruct': 'ok: svc-instruct is InService',
    'Endpoint of svc-code': 'ok: svc-code is InService',
    'Endpoint of svc-embed': 'ok: svc-embed is InService',
    'Endpoint of svc-speech': 'ok: svc-speech is InService',
    'Endpoint of svc-transcribe': 'ok: svc-transcribe is InService',
  });
});

test('every check only reads', async () => {
  await preflight(stage);
  expect(aws.called.length).toBeGreaterThan(10);
  expect(aws.called.filter(({ operation }) => !/^(Get|List|Describe)/.test(operation))).toEqual([]);
});

test('unused features of a stage are not checked', async () => {
  const frontDoor = { kind: 'gateway', publicOrigin: 'https://text.example.com', trustedProxies: 0 };
  const results = await resultsOf(parseStage({ ...choices, frontDoor, firewall: null, models: live.models }));
  expect([...results.keys()].filter((name) => /Certificate|WAF|Instances/.test(name))).toEqual([]);
  expect(aws.called.map(({ operation }) => operation)).not.toContain('ListWebACLs');
});

describe('a missing prerequisite is reported with its remedy', () => {
  test.each<[string, Stub, RegExp]>([
    [
      'Credentials',
      { GetCallerIdentity: callerIdentity('222222222222') },
      /of account 222222222222, .* use those of 1{12}/,
    ],
    ['CDK bootstrap', { 'DescribeStacks CDKToolkit': noStack }, /does not exist: run npx cdk bootstrap/],
    [
      'CDK bootstrap',
      { 'DescribeStacks CDKToolkit': stack('UPDATE_COMPLETE', { BootstrapVersion: '5' }) },
      /has version 5, below 6/,
    ],
    [
      'CDK bootstrap',
      { 'DescribeStacks CDKToolkit': stack('ROLLBACK_COMPLETE', { BootstrapVersion: '28' }) },
      /is ROLLBACK_COMPLETE/,
    ],
    [
      'Lambda concurrency',
      { GetAccountSettings: concurrency(10) },
      /10 of 10 .* needs 252: lower reservedConcurrency, or request a higher quota/,
    ],
    ['Lambda concurrency', { GetAccountSettings: concurrency(1000, 251) }, /251 of 1000 .* needs 252/],
    [
      'Lambda concurrency',
      { GetAccountSettings: concurrency(800) },
      /alarms\.claimedConcurrency is 800, the quota 800/,
    ],
    [
      'SES sending',
      { GetAccount: sending({ ProductionAccessEnabled: false }) },
      /sandbox .* request production access/,
    ],
    [
      'SES sending',
      { GetAccount: sending({ SendingEnabled: false, EnforcementStatus: 'SHUTDOWN' }) },
      /paused sending \(SHUTDOWN\)/,
    ],
    ['SES identity', { GetEmailIdentity: identity(true) }, /already: set mail\.identityOwner to null/],
    [
      'SES identity',
      { GetEmailIdentity: identity(false), 'DescribeStacks text-ai-live-data': stack('CREATE_COMPLETE') },
      /own-domain\.net is not verified: put its DKIM records/,
    ],
    [
      'Certificate text.example.com',
      { DescribeCertificate: certificate('PENDING_VALIDATION') },
      /is PENDING_VALIDATION/,
    ],
    [
      'Certificate text.example.com',
      { DescribeCertificate: certificate('ISSUED', '*.a.example.com', 'example.com') },
      /is for \*\.a\.example\.com, example\.com: request one/,
    ],
    [
      'Certificate text.example.com',
      { DescribeCertificate: failure('ResourceNotFoundException', 'not found') },
      /does not exist: request a certificate/,
    ],
    ['AWS WAF', { ListWebACLs: webAcls(100) }, /All 100 web ACLs are used/],
    [
      'Instances ml.g5.xlarge',
      { ListServiceQuotas: quotas({}), ListAWSDefaultServiceQuotas: quotas({ [instances]: 0 }) },
      /is 0, the stage needs 2: request it/,
    ],
    ['Instances ml.g5.xlarge', { ListServiceQuotas: quotas({}) }, /There is no quota/],
    ['Endpoint of svc-embed', { 'DescribeEndpoint svc-embed': noEndpoint }, /svc-embed does not exist: create it/],
    ['Endpoint of svc-embed', { 'DescribeEndpoint svc-embed': endpoint('Creating') }, /svc-embed is Creating/],
  ])('%s', async (name, changes, detail) => {
    play(changes);
    const results = await resultsOf();
    expect(results.get(name)).toMatch(/^missing: /);
    expect(results.get(name)).toMatch(detail);
    expect([...results.values()].filter((result) => !result.startsWith('ok: '))).toHaveLength(1);
  });

  test.each<[found: string, response: StubResponse, result: RegExp]>([
    ['exists', { body: { Name: 'acme-models' } }, /^ok: exists/],
    ['does not exist', failure('ResourceNotFoundException', 'no secret'), /^missing: .* no secret acme-models: create/],
    ['is being deleted', { body: { DeletedDate: 1_800_000_000 } }, /^missing: .* no secret acme-models: create/],
    ['cannot be read', failure('AccessDeniedException', 'no'), /^unknown: /],
  ])('a secret of a model server that %s', async (_, response, result) => {
    const server = {
      kind: 'openai',
      url: 'https://models.example.com/v1',
      model: 'large',
      secret: 'acme-models',
    } as const;
    const endpoints = new Map([['svc-code', [server]]]);
    play({ DescribeSecret: response });
    const results = await resultsOf({ ...stage, models: { ...stage.models, endpoints } });
    expect(results.get('Secret acme-models')).toMatch(result);
    expect(results.get('Endpoint of svc-code')).toBeUndefined();
  });

  describe('the secret for payments', () => {
    const whole = { apiKey: 'rk_test_51ab', webhookSecrets: ['whsec_a', 'whsec_b'] };
    const secret = (content: unknown, found: object = { Name: 'text-ai/stripe' }): Stub => ({
      DescribeSecret: { body: found },
      GetSecretValue: { body: { SecretString: typeof content === 'string' ? content : JSON.stringify(content) } },
    });
    const paymentsOf = async (changes: Stub, settings: object = {}) => {
      play(changes);
      const payments = { stripe: { secret: 'text-ai/stripe', ...settings } };
      return (await resultsOf(parseStage({ ...choices, payments }))).get('Payments');
    };

    test('is reported with the mode of its key if it is complete', async () => {
      expect(await paymentsOf(secret(whole))).toBe('ok: test mode, in which no card is charged, restricted key');
      expect(await paymentsOf(secret({ ...whole, apiKey: 'sk_live_51ab' }))).toBe(
        'ok: live mode, unrestricted key, prefer a restricted one',
      );
      expect((await resultsOf()).get('Payments')).toBeUndefined();
    });

    test.each<[fault: string, content: unknown, result: RegExp]>([
      ['is not JSON', 'rk_test_51ab', /^missing: .* is invalid: the secret must be JSON\.$/],
      ['is not an object', '"rk_test_51ab"', /the secret must be a JSON object\.$/],
      ['has no API key', { ...whole, apiKey: undefined }, /apiKey/],
      ['has a publishable key', { ...whole, apiKey: 'pk_test_51ab' }, /apiKey must start with rk_test_, rk_live_/],
      ['has no signing secret', { ...whole, webhookSecrets: [] }, /webhookSecrets must have the signing secret/],
      [
        'has an API key as a signing secret',
        { ...whole, webhookSecrets: ['rk_test_51ab'] },
        /\.0 must start with whsec_/,
      ],
    ])('is reported without any part of it if it %s', async (_, content, result) => {
      const found = await paymentsOf(secret(content));
      expect(found).toMatch(result);
      expect(found).not.toMatch(/51ab/);
    });

    test('is reported if it does not exist, is being deleted, or cannot be read', async () => {
      const gone = failure('ResourceNotFoundException', 'no secret');
      expect(await paymentsOf({ DescribeSecret: gone })).toMatch(/^missing: .* no secret text-ai\/stripe: create it/);
      expect(await paymentsOf(secret(whole, { DeletedDate: 1_800_000_000 }))).toMatch(/^missing: .* no secret/);
      expect(await paymentsOf({ ...secret(whole), GetSecretValue: failure('AccessDeniedException', 'no') })).toMatch(
        /^unknown: AccessDeniedException/,
      );
    });

    test('requires its customer-managed key in the settings of the stage', async () => {
      const KmsKeyId = 'arn:aws:kms:eu-west-1:111111111111:key/abc';
      const found = secret(whole, { Name: 'text-ai/stripe', KmsKeyId });
      expect(await paymentsOf(found)).toMatch(
        /^missing: .*set payments\.stripe\.secretKeyArn to the ARN of arn:aws:kms/,
      );
      expect(await paymentsOf(found, { secretKeyArn: KmsKeyId })).toMatch(/^ok/);
    });
  });

  test('an email identity that another stage creates, or that must exist', async () => {
    const withOwner = (identityOwner: string | null) =>
      parseStage({ ...choices, mail: { ...choices.mail, identityOwner } });
    expect((await resultsOf(withOwner('staging'))).get('SES identity')).toMatch(/deploy text-ai-staging-data/);
    expect((await resultsOf(withOwner(null))).get('SES identity')).toMatch(
      /verify it in SES, or set mail\.identityOwner/,
    );
    play({ GetEmailIdentity: noIdentity, 'GetEmailIdentity no-reply@own-domain.net': identity(true) });
    expect((await resultsOf(withOwner(null))).get('SES identity')).toMatch(/^ok: no-reply@own-domain.net is verified/);
  });

  test('a region without response streaming', async () => {
    const env = { account: '111111111111', region: 'us-gov-west-1' };
    const stage = parseStage({ ...choices, env, models: live.models });
    expect((await resultsOf(stage)).get('Region')).toMatch(/^missing: .*us-gov-west-1/);
  });

  test('a service that the region does not offer', async () => {
    const hostname = 'email.xx-test-1.amazonaws.com';
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND', hostname });
    expect(await run('SES sending', () => Promise.reject(error))).toEqual({
      name: 'SES sending',
      status: 'missing',
      detail: expect.stringContaining(`${hostname} does not exist: the region does not have this service`),
    });
  });

  test('production access for messages, only if the stage names countries', async () => {
    const messagesOf = async (countries: readonly string[], Value = 'SANDBOX') => {
      play({ DescribeAccountAttributes: { body: { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value }] } } });
      const results = await resultsOf(parseStage({ ...choices, messages: { ...live.messages, countries } }));
      return results.get('Messages');
    };
    expect(await messagesOf([])).toBeUndefined();
    expect(await messagesOf(['DE'])).toMatch(/^missing: .*sandbox/);
    expect(await messagesOf(['DE'], 'PRODUCTION')).toMatch(/^ok/);
  });
});

test('the role for API Gateway logs is checked by stages other than its owner, and exists once the owner’s data stack does', async () => {
  const withOwner = async (gatewayLogsOwner: string | null) =>
    (await resultsOf(parseStage({ ...choices, gatewayLogsOwner }))).get('API Gateway logs');
  expect(await withOwner('staging')).toMatch(/^missing: .* deploy text-ai-staging-data, which sets it/);
  play({ 'DescribeStacks text-ai-staging-data': stack('CREATE_COMPLETE') });
  expect(await withOwner('staging')).toMatch(/^ok: text-ai-staging-data/);
  expect([await withOwner('live'), await withOwner(null)]).toEqual([undefined, undefined]);
});

test('a quota is found on a later page, or by its default value', async () => {
  play({ ListServiceQuotas: quotas({ other: 1 }, 'second'), 'ListServiceQuotas second': quotas({ [instances]: 4 }) });
  expect((await resultsOf()).get('Instances ml.g5.xlarge')).toBe('ok: 2 of 4 instances');
  play({ ListServiceQuotas: quotas({}), ListAWSDefaultServiceQuotas: quotas({ [instances]: 3 }) });
  expect((await resultsOf()).get('Instances ml.g5.xlarge')).toBe('ok: 2 of 3 instances');
});

test('the owner’s email identity is verified once its DNS records exist', async () => {
  play({ GetEmailIdentity: identity(true), 'DescribeStacks text-ai-live-data': stack('CREATE_COMPLETE') });
  expect((await resultsOf()).get('SES identity')).toBe('ok: no-reply@own-domain.net is verified');
});

test('a wildcard certificate covers one label', async () => {
  play({ DescribeCertificate: certificate('ISSUED', '*.example.com') });
  expect((await resultsOf()).get('Certificate text.example.com')).toMatch(/^ok: /);
});

test('a denied call is reported as unknown, and stops no other check', async () => {
  const action = 'User: arn:aws:iam::111111111111:user/deployer is not authorized to perform: ses:GetAccount';
  play({ GetAccount: failure('AccessDeniedException', action, 403) });
  const results = await resultsOf();
  expect(results.get('SES sending')).toBe(
    `unknown: AccessDeniedException: ${action} Allow the action to your credentials, or check it in the console.`,
  );
  expect([...results.values()].filter((result) => result.startsWith('ok: '))).toHaveLength(results.size - 1);
});

test('every check is unknown if every call is denied', async () => {
  aws.play(Object.fromEntries(Object.keys(readyAccount).map((name) => [name, failure('AccessDenied', 'denied', 403)])));
  const { Region, 'Mail sender': sender, Alarms, ...others } = Object.fromEntries(await resultsOf());
  for (const result of [Region, sender, Alarms]) expect(result).toMatch(/^ok: /);
  for (const result of Object.values(others)) expect(result).toMatch(/^unknown: /);
});
