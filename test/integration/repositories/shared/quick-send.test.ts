import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { type ItemCommand, itemsBy, type SendCommand, sdkSend } from '#repositories/shared/items.ts';
import { quickSend } from '#repositories/shared/quick-send.ts';
import { turnItems } from '#runtime/services/agent-calls.ts';
import { withEnvironment } from '#test/service/environment.ts';
import {
  essenceOf,
  failure,
  requestTimeoutOf,
  type ScriptedResponse,
  scriptsOf,
  useScriptedAws,
} from '#test/transport/fast-path.ts';

const scripted = useScriptedAws();
const { variables, serviceOf, documents, resultOf } = scripted;

const TableName = 'agents';
const Key = { pk: 'conversation#cnv_1', sk: 'state' };
const Put = { TableName, Item: { ...Key, text: 'Grüß 🌊', list: [1.5, null, { deep: true, none: undefined }] } };
const Update = {
  TableName,
  Key,
  UpdateExpression: 'SET #lock = :lock',
  ConditionExpression: 'attribute_not_exists(#lock)',
  ExpressionAttributeNames: { '#lock': 'lock' },
  ExpressionAttributeValues: { ':lock': { token: 'ü', until: 9_007_199_254_740_991 } },
};
const Delete = { TableName, Key, ConditionExpression: 'attribute_exists(pk)' };
const query = {
  TableName,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': Key.pk },
  ExclusiveStartKey: undefined,
  ScanIndexForward: false,
  ConsistentRead: true,
  Limit: 500,
};

/** Creates commands, because the SDK changes the commands that it sends. */
const commands: Readonly<Record<string, () => ItemCommand>> = {
  GetItem: () => new GetCommand({ TableName, Key, ConsistentRead: true }),
  Query: () => new QueryCommand(query),
  'Query, the next page': () => new QueryCommand({ ...query, ExclusiveStartKey: Key }),
  UpdateItem: () => new UpdateCommand(Update),
  TransactWriteItems: () =>
    new TransactWriteCommand({ TransactItems: [{ Put }, { Update }, { Delete }], ClientRequestToken: 'one' }),
};

const stored = {
  pk: { S: 'ü' },
  n: { N: '1.5' },
  b: { B: Buffer.from([0, 127, 128, 255]).toString('base64') },
  l: { L: [{ BOOL: false }, { NULL: true }, { M: { é: { S: '' } } }] },
};
const done: ScriptedResponse = {
  status: 200,
  body: JSON.stringify({ Item: stored, Items: [stored, stored], LastEvaluatedKey: { pk: { S: 'ü' } } }),
};
const none: ScriptedResponse = { status: 200, body: '{}' };
const cancelled = failure(400, 'TransactionCanceledException', {
  CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
});

const quick = (requestTimeout = requestTimeoutOf([])): SendCommand =>
  quickSend(serviceOf('dynamodb'), documents({ requestTimeout }), { requestTimeout });

const asHex = (_: string, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

/** The fields of an output that a turn uses, as text. */
async function taken(send: SendCommand, command: ItemCommand): Promise<string> {
  const { Item, Items = [], LastEvaluatedKey } = await send(command);
  const read = command instanceof GetCommand ? { Item } : { Items, LastEvaluatedKey };
  const isRead = command instanceof GetCommand || command instanceof QueryCommand;
  // The SDK's Buffers turn themselves into JSON before a replacer finds them.
  return JSON.stringify(isRead ? structuredClone(read) : {}, asHex);
}

// The retries of UpdateItem are those of quick-meter.test.ts.
describe.each(Object.entries(commands))('%s has the same result as with the SDK after', (name, command) => {
  const scripts = [...scriptsOf(done), ['a cancelled transaction', [cancelled]] as const];
  const isRetried = name === 'GetItem' || name === 'TransactWriteItems';
  test.each(isRetried ? scripts : scripts.slice(0, 1))('%s', async (_, script) => {
    const requestTimeout = requestTimeoutOf(script);
    scripted.aws.play(script);
    const theirs = await resultOf(() => taken(sdkSend(documents({ requestTimeout })), command()));
    scripted.aws.play(script);
    const ours = await resultOf(() => taken(quick(requestTimeout), command()));
    expect(ours).toEqual(theirs);
    expect(ours.requests).toBeGreaterThan(0);
  });

  test('a response, and sends the same request', async () => {
    scripted.aws.play([done]);
    await sdkSend(documents())(command());
    await quick()(command());
    const [theirs, ours] = scripted.aws.sent.map(essenceOf);
    expect(ours).toEqual(theirs);
  });
});

test('a transaction whose response is lost is retried with the same token', async () => {
  scripted.aws.play([{ status: 200, cutAfter: -1 }, none]);
  expect(await itemsBy(quick()).commit([{ Put }])).toBe(true);
  const tokens = scripted.aws.sent.map(({ body }) => JSON.parse(body).ClientRequestToken);
  expect(tokens.length).toBeGreaterThan(1);
  expect(new Set(tokens)).toEqual(new Set([expect.stringMatching(/^[\da-f-]{36}$/)]));
});

test.each([
  ['{"Items":{}}', 'Invalid type'],
  ['{"Item":{"a":{"NS":["1"]}}}', 'is not read here'],
  ['{"Item":{"a":{"N":"9007199254740993"}}}', 'holds exactly'],
  ['[', 'JSON'],
])('an unexpected response is an error, not an empty result: %s', async (body, reason) => {
  scripted.aws.play([{ status: 200, body }]);
  await expect(quick()(new GetCommand({ TableName, Key }))).rejects.toThrow(reason);
});

test.each([
  ['on', undefined],
  ['off', expect.stringContaining('aws-sdk-js')],
] as const)('FAST_PATH=%s selects the client that reads and writes the items of a turn', async (FAST_PATH, agent) => {
  const restore = withEnvironment(variables());
  try {
    scripted.aws.play([none, none, none, none]);
    const items = turnItems({ FAST_PATH }, documents());
    await items.get(TableName, Key);
    await items.query(query);
    await items.update(Update);
    await items.commit([{ Put }]);
    expect(scripted.aws.sent.map(({ headers }) => headers['user-agent'])).toEqual([agent, agent, agent, agent]);
  } finally {
    restore();
  }
});
