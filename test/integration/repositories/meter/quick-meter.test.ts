import { type DynamoDBDocumentClient, GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { AwsService } from '#aws/service.ts';
import { quickMeter } from '#repositories/meter/quick-meter.ts';
import { meterAccess, sagemakerRuntime } from '#runtime/services/call-services.ts';
import { withEnvironment } from '#test/service/environment.ts';
import {
  essenceOf,
  failure,
  invocation,
  later,
  requestTimeoutOf,
  type ScriptedResponse,
  scriptsOf,
  useScriptedAws,
} from '#test/transport/fast-path.ts';

const scripted = useScriptedAws();
const { variables, serviceOf, documents, resultOf } = scripted;

const done: ScriptedResponse = {
  status: 200,
  headers: { 'x-amzn-requestid': 'R' },
  body: JSON.stringify({
    Attributes: { a: { N: '7' }, h: { M: { é: { L: [{ N: '1.5' }, { S: 'ü' }, { BOOL: true }] } } } },
  }),
};
const everything = new Set(['a', 'h']);
const none: ScriptedResponse = { status: 200, body: '{}' };
const input: UpdateCommandInput = {
  TableName: 'meters',
  Key: { a: 9_007_199_254_740_991 },
  UpdateExpression: 'SET h.#r = :hold REMOVE #last',
  ConditionExpression: 'c >= :amount',
  ExpressionAttributeNames: { '#r': 'réquest', '#last': 'last' },
  ExpressionAttributeValues: { ':hold': [1, 'ü', { deep: undefined, none: null }], ':amount': 0.1 },
  ReturnValues: 'ALL_NEW',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
};

interface Sending {
  readonly client?: DynamoDBDocumentClient;
  readonly service?: AwsService;
  readonly requestTimeout?: number;
}

const accessWith = ({
  client = documents(),
  service = serviceOf('dynamodb'),
  requestTimeout = requestTimeoutOf([]),
}: Sending = {}) => quickMeter(service, async () => client, { projection: everything, requestTimeout });

const signedAt = (stamp: unknown): number =>
  Date.parse(String(stamp).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const scripts: [string, ScriptedResponse[]][] = [
  ...scriptsOf(done),
  ['a failed condition with its item', [failure(400, 'ConditionalCheckFailedException', { Item: { a: { N: '7' } } })]],
  ['no permission', [failure(400, 'AccessDeniedException')]],
  [
    'a conflict and throttling',
    [failure(400, 'TransactionConflictException'), failure(400, 'ThrottlingException'), done],
  ],
  ['a connection cut before the response, always', [{ status: 200, cutAfter: -1 }]],
];

describe('an UpdateItem with the fast path has the same result as with the SDK after', () => {
  test.each(scripts)('%s', async (_, script) => {
    const requestTimeout = requestTimeoutOf(script);
    scripted.aws.play(script);
    const client = documents({ requestTimeout });
    const theirs = await resultOf(async () => (await client.send(new UpdateCommand(input))).Attributes);
    scripted.aws.play(script);
    const { update } = accessWith({ client: documents({ requestTimeout }), requestTimeout });
    const ours = await resultOf(async () => (await update(input))());
    expect(ours).toEqual(theirs);
    expect(ours.requests).toBeGreaterThan(0);
  });

  test('a response, and sends the same request', async () => {
    scripted.aws.play([done]);
    await documents().send(new UpdateCommand(input));
    await accessWith().update(input);
    const [theirs, ours] = scripted.aws.sent.map(essenceOf);
    expect(ours).toEqual(theirs);
  });

  test('a wrong clock, which is corrected once', async () => {
    const hourAhead = new Date(Date.now() + 3_600_000).toUTCString();
    const skewed = failure(400, 'InvalidSignatureException');
    scripted.aws.play([
      { ...skewed, headers: { ...skewed.headers, date: hourAhead } },
      { ...done, headers: { date: hourAhead } },
    ]);
    const { update } = accessWith();
    await update(input);
    expect(scripted.aws.sent).toHaveLength(2);
    await update(input);
    expect(scripted.aws.sent).toHaveLength(3);
    expect(Math.abs(signedAt(scripted.aws.sent[2]!.headers['x-amz-date']) - Date.now() - 3_600_000)).toBeLessThan(
      60_000,
    );
  });
});

describe('a GetItem with the fast path has the same result as with the SDK after', () => {
  const read = { TableName: 'meters', Key: { a: 7 }, ConsistentRead: true };
  const found: ScriptedResponse = {
    ...done,
    body: JSON.stringify({ Item: { a: { N: '7' }, k: { M: { ü: { M: { x: { N: '9' } } } } } } }),
  };

  test.each([...scriptsOf(found), ['no item', [none]] as const])('%s', async (_, script) => {
    const requestTimeout = requestTimeoutOf([...script]);
    const results = [];
    for (const isQuick of [false, true]) {
      scripted.aws.play([...script]);
      const client = documents({ requestTimeout });
      const viaSdk = async () => (await client.send(new GetCommand(read))).Item;
      results.push(await resultOf(isQuick ? () => accessWith({ client, requestTimeout }).read(read) : viaSdk));
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[1]?.requests).toBeGreaterThan(0);
  });

  test('a response, and sends the same request', async () => {
    scripted.aws.play([found]);
    await documents().send(new GetCommand(read));
    await accessWith().read(read);
    const [theirs, ours] = scripted.aws.sent.map(essenceOf);
    expect(ours).toEqual(theirs);
  });
});

test('credentials are renewed before they expire', async () => {
  scripted.aws.play([done]);
  const environment: Record<string, string> = variables();
  const use = (token: string, minutes: number): void => {
    environment['AWS_SESSION_TOKEN'] = token;
    environment['AWS_CREDENTIAL_EXPIRATION'] = new Date(Date.now() + minutes * 60_000).toISOString();
  };
  use('token-1', 4);
  const { update } = accessWith({ service: serviceOf('dynamodb', environment) });
  await update(input);
  use('token-2', 60);
  await update(input);
  use('token-3', 60);
  await update(input);
  const tokens = scripted.aws.sent.map(({ headers }) => headers['x-amz-security-token']);
  expect(tokens).toEqual(['token-1', 'token-2', 'token-2']);
});

test('without credentials the SDK throws, and nothing is sent', async () => {
  scripted.aws.play([done]);
  const client = documents({ credentials: () => Promise.reject(new Error('no credentials')) });
  const service = { ...serviceOf('dynamodb'), credentials: () => undefined };
  await expect(accessWith({ client, service }).update(input)).rejects.toThrow('no credentials');
  expect(scripted.aws.sent).toHaveLength(0);
});

test.each([
  ['on', undefined],
  ['off', expect.stringContaining('aws-sdk-js')],
] as const)('FAST_PATH=%s selects the client that sends the requests', async (FAST_PATH, agent) => {
  const restore = withEnvironment(variables());
  try {
    scripted.aws.play([none, none, { status: 200, body: '{}' }]);
    const { update, read } = meterAccess({ FAST_PATH }, async () => documents());
    await update(input);
    await read({ TableName: 'meters', Key: { a: 7 } });
    await sagemakerRuntime({ FAST_PATH }).reply(invocation)(later());
    expect(scripted.aws.sent.map(({ headers }) => headers['user-agent'])).toEqual([agent, agent, agent]);
  } finally {
    restore();
  }
});
