import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { type ItemCommand, itemsBy, type SendCommand, sdkSend } from '#repositories/shared/items.ts';
import { quickSend } from '#repositories/shared/quick-send.ts';
import { turnItems } from '#runtime/services/agent-calls.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { failure, requestTimeoutOf, useScriptedAws } from '#test/transport/fast-path.ts';
import type { ScriptedResponse } from '#test/transport/scripted-aws.ts';

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

/** A new one each time: what the SDK sends it changes. */
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

/** What a turn takes of an output, as text: bytes are those of a Buffer or not. */
async function taken(send: SendCommand, command: ItemCommand): Promise<string> {
  const { Item, Items = [], LastEvaluatedKey } = await send(command);
  const read = command instanceof GetCommand ? { Item } : { Items, LastEvaluatedKey };
  const isRead = command instanceof GetCommand || command instanceof QueryCommand;
  // The SDK's Buffers turn themselves into JSON before a replacer finds them.
  return JSON.stringify(isRead ? structuredClone(read) : {}, asHex);
}

describe.each(Object.entries(commands))('%s comes to the same as the SDK makes of it:', (_, command) => {
  test.each<[string, ScriptedResponse[]]>([
    ['done', [done]],
    ['done, with nothing', [none]],
    ['a failed condition', [failure(400, 'ConditionalCheckFailedException')]],
    ['a failed transaction', [cancelled]],
    ['a mistake of ours', [failure(400, 'ValidationException')]],
    ['no such table', [failure(400, 'ResourceNotFoundException')]],
    ['throttled once', [failure(400, 'ThrottlingException'), done]],
    ['another transaction on the item, twice', [...Array(2).fill(failure(400, 'TransactionConflictException')), done]],
    ['throttled always', [failure(400, 'ProvisionedThroughputExceededException')]],
    ['away twice', [failure(503, 'ServiceUnavailable'), failure(500, 'InternalServerError'), done]],
    ['away', [failure(500, 'InternalServerError')]],
    ['a proxy between us that fails', [{ status: 502, body: '<html>bad gateway</html>' }]],
    ['cut before the response, once', [{ status: 200, cutAfter: -1 }, done]],
    ['cut within the response, once', [{ ...done, cutAfter: 20 }, done]],
    ['cut within the response, always', [{ ...done, cutAfter: 20 }]],
    ['silence, once', [{ status: 200, silent: true }, done]],
    ['silence', [{ status: 200, silent: true }]],
  ])('%s', async (_, script) => {
    const requestTimeout = requestTimeoutOf(script);
    scripted.aws.play(script);
    const theirs = await resultOf(() => taken(sdkSend(documents({ requestTimeout })), command()));
    scripted.aws.play(script);
    const ours = await resultOf(() => taken(quick(requestTimeout), command()));
    expect(ours).toEqual(theirs);
    expect(ours.requests).toBeGreaterThan(0);
  });

  test('the same on the wire', async () => {
    scripted.aws.play([done]);
    await sdkSend(documents())(command());
    await quick()(command());
    const [theirs, ours] = scripted.aws.sent.map(({ method, url, headers, body }) => {
      const { host, 'content-type': type, 'x-amz-target': target, 'x-amz-security-token': token } = headers;
      const isLength = headers['content-length'] === String(Buffer.byteLength(body));
      return { method, url, host, type, target, token, isLength, body: JSON.parse(body) };
    });
    expect(ours).toEqual(theirs);
  });
});

test('a transaction whose response is lost is sent again with the token that it had', async () => {
  scripted.aws.play([{ status: 200, cutAfter: -1 }, none]);
  expect(await itemsBy(quick()).commit([{ Put }])).toBe(true);
  const tokens = scripted.aws.sent.map(({ body }) => JSON.parse(body).ClientRequestToken);
  expect(tokens.length).toBeGreaterThan(1);
  expect(new Set(tokens)).toEqual(new Set([expect.stringMatching(/^[\da-f-]{36}$/)]));
});

test.each([
  ['{"Items":{}}', 'Invalid type'],
  ['{"Item":{"a":{"SS":["a"]}}}', 'is not read here'],
  ['{"Item":{"a":{"N":"9007199254740993"}}}', 'holds exactly'],
  ['[', 'JSON'],
])('a response of another form is refused, and not taken for nothing: %s', async (body, reason) => {
  scripted.aws.play([{ status: 200, body }]);
  await expect(quick()(new GetCommand({ TableName, Key }))).rejects.toThrow(reason);
});

test.each([
  ['on', undefined],
  ['off', expect.stringContaining('aws-sdk-js')],
] as const)(
  'with FAST_PATH=%s a turn’s items are read and written as the operator configured',
  async (FAST_PATH, agent) => {
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
  },
);
