import { describe, expect, it, test } from 'vitest';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import { allJobs } from '#contract/jobs.ts';
import { metrics } from '#contract/platform/metrics.ts';
import { allRoutes, routes } from '#contract/routes.ts';
import { buildEntries, outputOf, bundlingWith, readAtStart } from '#lib/constructs/function-code.ts';
import { callsStripe, jobsOf } from '#lib/stage.ts';
import { live, parseStage } from '#lib/stages.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionId, functionsOf, ofType, pathOf, synthesise } from './synth.ts';
import type { Whole } from './whole.ts';

const none = await synthesise();
const paying = await synthesise({ stage: payingStage });
const { api: full } = await synthesise({ stage: fullStage });

const { paymentDifferences, refusedPayments } = metrics;
const paymentJobs = allJobs.filter(({ feature }) => feature === 'payments').map(({ id }) => id);

/** Resources of a template by type and path. */
const partsOf = ({ resources }: Whole) =>
  new Set(Object.values(resources).map((part) => `${part.Type} ${pathOf(part)}`));
const added = (stack: 'data' | 'api' | 'monitoring') => [...partsOf(paying[stack]).difference(partsOf(none[stack]))];

const statementsOf = (api: Whole, id: string): unknown[] =>
  ofType(api, 'AWS::IAM::Policy')
    .filter(([, policy]) => functionId(policy) === id)
    .flatMap(([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: unknown[] }).Statement);

describe('a stage without payments', () => {
  it('is the default', () => {
    expect(parseStage(live).payments).toBeNull();
  });

  it('has the routes and the table of payments, but no secret, queue, job or alarm for them', () => {
    const routesOfPayments = allRoutes.filter(({ path }) => path.startsWith('/api/payments')).map(({ id }) => id);
    expect([...functionsOf(none.api).keys()]).toEqual(expect.arrayContaining(routesOfPayments));
    expect([...partsOf(none.data)]).toContain('AWS::DynamoDB::GlobalTable payments');
    const text = JSON.stringify(none.api);
    for (const hidden of ['text-ai/stripe', 'PAYMENTS_SECRET', 'PAYMENTS_QUEUE_URL', '"PAYMENTS"', ...paymentJobs])
      expect(text).not.toContain(hidden);
    for (const metric of [paymentDifferences, refusedPayments])
      expect(JSON.stringify(none.monitoring)).not.toContain(metric);
  });
});

describe('a stage with payments', () => {
  it('adds the jobs with their queues and alarms, and nothing else', () => {
    expect(jobsOf(payingStage)).toEqual(allJobs);
    expect(added('data')).toEqual([]);
    expect(added('monitoring')).toEqual([
      'AWS::CloudWatch::Alarm Service/PaymentDifferences',
      'AWS::CloudWatch::Alarm Service/RefusedPayments',
    ]);
    const owners = added('api').map((part) =>
      part
        .split(' ')[1]!
        .split('/')
        .find((name) => paymentJobs.includes(name)),
    );
    expect(new Set(owners)).toEqual(new Set(paymentJobs));
    const queues = added('api').filter((part) => part.startsWith('AWS::SQS::Queue '));
    expect(queues.toSorted()).toEqual(
      [...paymentJobs.map((id) => `${id}/Function/DeadLetters`), 'handle-payments/Function/Queue']
        .map((path) => `AWS::SQS::Queue ${path}`)
        .toSorted(),
    );
  });

  it('grants its customer-managed key only to the functions that read the secret, and only for that secret', () => {
    const decrypting = [...functionsOf(full).keys()].filter((id) =>
      JSON.stringify(statementsOf(full, id)).includes(JSON.stringify(fullStage.payments?.stripe.secretKeyArn)),
    );
    const paid = [...allRoutes, ...allJobs].filter(({ uses }) => uses.payments).map(({ id }) => id);
    expect(decrypting.toSorted()).toEqual(paid.toSorted());
    expect(statementsOf(full, 'create-portal')).toContainEqual({
      Action: 'kms:Decrypt',
      Effect: 'Allow',
      Resource: fullStage.payments?.stripe.secretKeyArn,
      Condition: {
        StringEquals: {
          'kms:ViaService': { 'Fn::Join': ['', ['secretsmanager.', { Ref: 'AWS::Region' }, '.amazonaws.com']] },
        },
      },
    });
    expect(JSON.stringify(paying.api)).not.toContain('kms:Decrypt');
  });

  it('is invalid without the name of a secret, or with a key that is not an ARN', () => {
    const stripe = (settings: object) => () => parseStage({ ...live, payments: { stripe: settings } });
    expect(stripe({})).toThrow(/payments\.stripe\.secret/);
    expect(stripe({ secret: 'sk_live_1 2' })).toThrow(/payments\.stripe\.secret must be the name of a secret/);
    expect(stripe({ secret: 'a', secretKeyArn: 'alias/a' })).toThrow(/secretKeyArn must be the ARN of a KMS key/);
  });
});

test('the route for Stripe’s events has its own throttle, at most that of the stage', async () => {
  const throttleOf = ({ api }: { readonly api: Whole }) => {
    const [[, stage] = []] = ofType(api, 'AWS::ApiGateway::Stage');
    const [, ...own] = stage!.Properties['MethodSettings'] as Record<string, unknown>[];
    return own.map(({ ResourcePath, HttpMethod, ThrottlingRateLimit, ThrottlingBurstLimit }) => [
      HttpMethod,
      String(ResourcePath).replaceAll('~1', '/').slice(1),
      ThrottlingRateLimit,
      ThrottlingBurstLimit,
    ]);
  };
  const { method, path } = routes.receiveStripeEvent;
  expect(throttleOf(none)).toEqual([[method, path, 50, 100]]);
  expect(throttleOf(await synthesise({ stage: otherStage, buffered: true }))).toEqual([[method, path, 50, 20]]);
});

test('every function that uses payments can call Stripe, except those that only read them', () => {
  const withTable = [...allRoutes, ...allJobs].filter(({ uses }) => uses.tables?.payments);
  const withoutStripe = withTable.filter(({ uses }) => !uses.payments);
  expect(withoutStripe.map(({ id }) => id)).toEqual(['export-account', 'list-account-payments', 'sweep-payments']);
  for (const { uses } of withoutStripe) expect(uses.tables?.payments).toBe('read');
});

describe('the package stripe', () => {
  const entries = [
    ...allRoutes.map(({ id, uses }) => ({ id, uses, entry: routeEntry(id) })),
    ...allJobs.map((job) => ({ ...job, entry: jobEntry(job) })),
  ];

  const ofPackage = (inputs: Iterable<string>) => [...inputs].filter((file) => file.startsWith('node_modules/stripe/'));

  it('is bundled into no function of a stage without payments, nor is the client of Bedrock without such a model', async () => {
    for (const { uses } of entries) {
      expect(callsStripe(otherStage, uses)).toBe(uses.payments === true);
      expect(callsStripe(parseStage(live), uses)).toBe(false);
    }
    const { metafile } = await buildEntries(entries, bundlingWith({ withStripe: false, withBedrock: false }));
    const inputs = Object.keys(metafile.inputs);
    expect(ofPackage(inputs)).toEqual([]);
    expect(inputs.filter((file) => file.includes('client-bedrock-runtime'))).toEqual([]);
  });

  it('is bundled into each function that calls Stripe, and is loaded by its first request', async () => {
    const calling = entries.filter(({ uses }) => uses.payments);
    expect(calling.length).toBeGreaterThan(8);
    const { metafile } = await buildEntries(calling, bundlingWith({ withStripe: true, withBedrock: false }));
    const { outputs } = metafile;
    const inputsOf = (files: Iterable<string>) =>
      [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    const reachable = (file: string, seen = new Set<string>()): Set<string> => {
      seen.add(file);
      for (const { path, external } of outputs[file]?.imports ?? [])
        if (!external && !seen.has(path)) reachable(path, seen);
      return seen;
    };
    for (const { id } of calling) {
      const [all, atStart] = [reachable(outputOf(id)), readAtStart(outputOf(id), outputs)];
      expect([id, ofPackage(inputsOf(all)).length > 0, ofPackage(inputsOf(atStart))]).toEqual([id, true, []]);
    }
  });
});
