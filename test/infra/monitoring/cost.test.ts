import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  concurrencyTable,
  costAtZero,
  costOfCalls,
  costOfPayments,
  costOfStoredContents,
  costOfStoredResponses,
  type MonthlyResources,
  platformCost,
  revenueOf,
  sumOf,
  table,
  writeUnits,
} from '#bench/cost/cost.ts';
import { ledgerTable } from '#bench/cost/ledger.ts';
import {
  costOfSharedCall,
  floorPerMonth,
  platformCostShared,
  sharedEnvironmentsTable,
} from '#bench/cost/shared-environments.ts';
import { routes } from '#contract/routes.ts';
import { loadOffer } from '#lib/offer.ts';
import { jobsOf, traced } from '#lib/stage.ts';
import { stageNamed } from '#lib/stages.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionsOf, ofType, synthesise } from '../synth.ts';

const live = await synthesise();
const { api } = live;
const liveJobs = jobsOf(stageNamed('live'));
const read = (page: string) => readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8');
const [guide, performance] = [read('deploy'), read('performance')];

const count = (type: string, { data, api, monitoring } = live) =>
  [data, api, monitoring].flatMap((stack) => ofType(stack, type)).length;

function monthlyOf(stage: typeof live): MonthlyResources {
  const { api, monitoring } = stage;
  const [[, acl] = []] = ofType(api, 'AWS::WAFv2::WebACL');
  const alarmMetrics = [api, monitoring]
    .flatMap((stack) => ofType(stack, 'AWS::CloudWatch::Alarm'))
    .map(([, { Properties }]) => {
      const all = Properties['Metrics'] as { MetricStat?: object }[] | undefined;
      return all?.filter(({ MetricStat }) => MetricStat).length ?? 1;
    });
  const queueArns = new Set(ofType(api, 'AWS::SQS::Queue').map(([id]) => id));
  const isQueue = ({ Properties }: { Properties: Record<string, unknown> }) =>
    queueArns.has((Properties['EventSourceArn'] as { 'Fn::GetAtt'?: [string] })['Fn::GetAtt']?.[0] ?? '');
  return {
    keys: count('AWS::KMS::Key', stage),
    secrets: count('AWS::SecretsManager::Secret', stage),
    firewalls: count('AWS::WAFv2::WebACL', stage),
    firewallRules: (acl!.Properties['Rules'] as unknown[]).length,
    alarmMetrics: alarmMetrics.reduce((sum, metrics) => sum + metrics, 0),
    dashboards: count('AWS::CloudWatch::Dashboard', stage),
    polledQueues: ofType(api, 'AWS::Lambda::EventSourceMapping').filter(([, source]) => isQueue(source)).length,
  };
}
const monthly = monthlyOf(live);

test('docs/deploy.md states the cost of the default stage in a month without traffic', () => {
  expect(guide).toContain(table(costAtZero(monthly)));
});

test('docs/deploy.md states that cost without WAF and its secret', () => {
  const { firewalls, firewallRules, secrets, ...others } = monthly;
  const without = costAtZero({ ...others, firewalls: 0, firewallRules: 0, secrets: 0 });
  expect([firewalls, firewallRules, secrets]).not.toContain(0);
  expect(guide).toContain(`has neither WAF nor its secret: ${sumOf(without).toFixed(2)} dollars.`);
});

test('the default stage costs at most 29 dollars in a month without traffic', () => {
  expect(monthly.polledQueues).toBe(liveJobs.filter(({ trigger }) => 'queue' in trigger).length);
  expect(sumOf(costAtZero(monthly))).toBeLessThanOrEqual(29);
});

test('docs/deploy.md states the cost of payments, including the secret, which is in no template', async () => {
  const paying = monthlyOf(await synthesise({ stage: payingStage }));
  const added = {
    alarmMetrics: paying.alarmMetrics - monthly.alarmMetrics,
    polledQueues: paying.polledQueues - monthly.polledQueues,
  };
  expect({ ...paying, ...added }).toEqual({ ...monthly, ...added });
  expect(added).toEqual({ alarmMetrics: 8, polledQueues: 1 });
  expect(guide).toContain(table(costOfPayments(added)));
});

test('docs/deploy.md states the cost of the ledger for a year at a million calls a day', () => {
  expect(guide).toContain(ledgerTable({ callsPerDay: 1e6, accounts: 10_000 }));
});

const { memoryMb } = routes.createChatCompletion;
const chats = costOfCalls(1e6, { seconds: 3, isStream: false, memoryMb, responseBytes: 2000, concurrentCalls: 5 });

test('docs/deploy.md states the cost of a million chats of 3 s without the model', () => {
  expect(guide).toContain(table(chats));
});

test('docs/deploy.md states the cost of stored responses', () => {
  const usd = costOfStoredResponses(1e6, 3072).toFixed(2);
  expect(guide).toContain(`A million responses that the Responses API stores for 30 days add ${usd}, if each has 3 KB`);
});

test('docs/deploy.md states the cost of stored prompts and responses', () => {
  const [usual, largest] = [4096, 524_288].map((bytes) => costOfStoredContents(1e6, bytes).toFixed(2));
  expect(guide).toContain(`A million calls whose prompts and responses are stored for 30 days add ${usual}`);
  expect(guide).toContain(`${largest} at the largest size`);
});

describe('X-Ray', () => {
  it('traces exactly the share of requests that the cost assumes', () => {
    const rules = ofType(api, 'AWS::XRay::SamplingRule').map(([, { Properties }]) => Properties['SamplingRule']);
    const [[, gateway] = []] = ofType(api, 'AWS::ApiGateway::RestApi');
    const [[, stage] = []] = ofType(api, 'AWS::ApiGateway::Stage');
    expect(stage!.Properties['TracingEnabled']).toBe(true);
    expect(rules).toEqual([
      expect.objectContaining({
        FixedRate: traced,
        ReservoirSize: 0,
        ServiceType: 'AWS::ApiGateway::Stage',
        ServiceName: `${String(gateway!.Properties['Name'])}/${String(stage!.Properties['StageName'])}`,
      }),
    ]);
  });

  it('traces a job only as part of a traced request', () => {
    const modes = Object.groupBy(functionsOf(api), ([, { Properties }]) =>
      String((Properties['TracingConfig'] as { Mode?: string } | undefined)?.Mode),
    );
    expect(Object.keys(modes).toSorted()).toEqual(['Active', 'PassThrough']);
    expect(modes['PassThrough']!.map(([id]) => id).toSorted()).toEqual(liveJobs.map(({ id }) => id).toSorted());
  });
});

test('docs/deploy.md states the cost of DynamoDB by the concurrent calls of an account', () => {
  expect(guide).toContain(`| --- | --- | --- |\n${concurrencyTable()}\n\n`);
});

test('docs/deploy.md states the cost of shared environments, and of their minimum', () => {
  expect(guide).toContain(`| --- | --- | --- | --- | --- |\n${sharedEnvironmentsTable()}\n\n`);
  expect(guide).toContain(
    `The minimum of 3 environments costs ${floorPerMonth().toFixed(2)} dollars a month for each route`,
  );
  expect(guide).toContain(`A million chats of 3 s then cost ${platformCostShared().toFixed(2)} in all.`);
});

test('a million calls of 3 s in shared environments cost at most 2 dollars at a third of full use', () => {
  const usd = costOfSharedCall(3) * 1e6;
  expect(usd).toBeLessThanOrEqual(2);
  expect(performance).toContain(`: ${usd.toFixed(2)} dollars a million for Lambda at a third of full use`);
});

test('docs/performance.md states the cost of 10,000 calls per second', () => {
  const million = sumOf(chats);
  const month = Math.round((million * 0.01 * 86_400 * 30) / 1000) * 1000;
  expect(performance).toContain(
    `${million.toFixed(2)} a million as listed, so ${(million / 100).toFixed(2)} a second, about ${month.toLocaleString('en-US')} a month`,
  );
});

test('a million priced calls cost at most 2.50 dollars of table requests', () => {
  expect(writeUnits.request * 0.625).toBeLessThanOrEqual(2.5);
});

test('a million chats of an offer earn their tokens at the model’s rates, valued at the cheapest credits of a plan', () => {
  const offer = loadOffer('examples/offers/open-models.json', { isLocal: false });
  // 2,000 tokens at 2 and 500 at 8 credits per million; 20 USD for 2,500 credits.
  expect(revenueOf(offer)).toEqual([
    { model: 'acme-large', credits: 8000, usd: 64 },
    { model: 'acme-small', credits: 800, usd: 6.4 },
  ]);
  expect(platformCost()).toBeCloseTo(sumOf(chats), 10);
  expect(readFileSync('docs/offer.md', 'utf8')).toContain(`They cost ${platformCost().toFixed(2)} USD on AWS, without`);
});
