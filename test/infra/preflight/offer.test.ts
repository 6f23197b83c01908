import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from 'vitest';
import { live, parseStage } from '#lib/stages.ts';
import { preflight } from '../../../bin/preflight/checks.ts';
import { useStubAws } from '../stub-aws.ts';
import { failure, readyAccount, stack } from './account.ts';

const stage = parseStage({
  ...live,
  env: { account: '111111111111', region: 'eu-west-1' },
  mail: { ...live.mail, sender: 'no-reply@own-domain.net' },
});
const deployed = stack('UPDATE_COMPLETE', { metersTableName: 'meters-1', agentsTableName: 'agents-1' });

const aws = await useStubAws();

const page = (items: readonly object[]) => ({ body: { Items: items.map((item) => marshall(item)) } });
const on = (rank: number, planId: string, more: object = {}) => ({
  r: rank,
  s: { planId, status: 'active' },
  k: { 'key-1': 4_000_000_000 },
  ...more,
});
const all = (...models: string[]) => ({ 'key-1': { x: 1, o: models } });

/** Each of the four segments returns the same page, so every count is a multiple of four. */
async function offerRow(meters: readonly object[], agents: readonly object[] = []): Promise<string | undefined> {
  aws.play({
    ...readyAccount,
    'DescribeStacks text-ai-live-data': deployed,
    'Scan meters-1': page(meters),
    'Scan agents-1': page(agents),
  });
  const found = (await preflight(stage)).find(({ name }) => name === 'Offer');
  return found && `${found.status}: ${found.detail}`;
}

const good = 'ok: version 1 has the plans and models of all accounts, keys and agents';

it.each<[what: string, meters: object[], agents: object[], row: string | RegExp]>([
  ['plans by name and by number', [on(2, 'dev_pass'), on(3, '3'), { r: 1, k: {} }], [], good],
  ['a cancelled plan of the past', [on(1, 'gone', { s: { planId: 'gone', status: 'cancelled' } })], [], good],
  ['the plan of a deleted account', [on(9, 'gone', { x: 'deleted' })], [], good],
  ['models of the offer', [on(2, 'dev_pass', { k: all('svc-1') })], [{ model: 'svc-code' }], good],
  ['a removed plan', [on(9, 'gone'), on(9, 'gone')], [], /^missing: The offer lacks the plan gone of 8 accounts: keep/],
  ['the number of another plan', [on(3, 'dev_pass')], [], /lacks the plan dev_pass of 4 accounts/],
  ['an account without a subscription', [{ r: 9, k: {} }], [], /lacks the plan number 9 of 4 accounts/],
  [
    'a scheduled plan',
    [on(4, 'pro_pass', { s: { planId: 'pro_pass', status: 'active', pending: { planId: 'gone', planRank: 7 } } })],
    [],
    /lacks the plan gone of 4 accounts/,
  ],
  [
    'removed models',
    [on(2, 'dev_pass', { k: all('svc-1', 'old') })],
    [{ model: 'old' }, { model: 'older' }],
    /lacks the model old of 4 keys, the model old of 4 agents and the model older of 4 agents: keep a model/,
  ],
])('preflight of a deployed stage counts %s', async (_, meters, agents, row) => {
  const found = await offerRow(meters, agents);
  if (typeof row === 'string') expect(found).toBe(row);
  else expect(found).toMatch(row);
});

it('preflight reads the tables of the stage alone, in four segments, and only their needed attributes', async () => {
  await offerRow([]);
  const scans = aws.called.filter(({ operation }) => operation === 'Scan').map(({ text }) => JSON.parse(text));
  const of = (table: string) => scans.filter(({ TableName }) => TableName === table);
  expect(
    of('meters-1')
      .map(({ Segment }) => Segment)
      .toSorted((one, other) => one - other),
  ).toEqual([0, 1, 2, 3]);
  expect(of('agents-1').map(({ FilterExpression }) => FilterExpression)).toHaveLength(4);
  expect(new Set(scans.map(({ ProjectionExpression }) => ProjectionExpression))).toEqual(
    new Set(['r, s, k, x', '#model']),
  );
});

it('preflight reports a table that may not be read as unknown', async () => {
  const denied = failure('AccessDeniedException', 'not authorized to perform: dynamodb:Scan');
  aws.play({ ...readyAccount, 'DescribeStacks text-ai-live-data': deployed, Scan: denied });
  const row = (await preflight(stage)).find(({ name }) => name === 'Offer');
  expect(row).toMatchObject({ status: 'unknown', detail: expect.stringContaining('Allow the action') });
});
