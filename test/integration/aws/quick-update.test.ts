import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { AwsService } from '#aws/service.ts';
import { quickUpdate } from '#repositories/meter/quick-update.ts';
import { sdkUpdate } from '#repositories/meter/sdk-update.ts';
import { meterUpdate, modelRuntime } from '#runtime/services/call-services.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { failure, invocation, later, requestTimeoutOf, useScriptedAws } from '#test/transport/fast-path.ts';
import type { ScriptedResponse } from '#test/transport/scripted-aws.ts';

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

/** The two ways to send an UpdateItem: FAST_PATH on and off. */
const updates = {
  on({ client = documents(), service = serviceOf('dynamodb'), requestTimeout = requestTimeoutOf([]) }: Sending = {}) {
    return quickUpdate(service, async () => client, { projection: everything, requestTimeout });
  },
  off: ({ client = documents() }: Sending = {}) => sdkUpdate(client),
};

const signedAt = (stamp: unknown): number =>
  Date.parse(String(stamp).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

describe.each(['on', 'off'] as const)(
  'an UpdateItem comes to the same as the SDK makes of it, fast path %s',
  (setting) => {
    test.each<[string, ScriptedResponse[]]>([
      ['done', [done]],
      ['done without attributes', [none]],
      [
        'a failed condition, with its item',
        [failure(400, 'ConditionalCheckFailedException', { Item: { a: { N: '7' } } })],
      ],
      ['a failed condition without an item', [failure(400, 'ConditionalCheckFailedException')]],
      ['a mistake of ours', [failure(400, 'ValidationException')]],
      ['no permission', [failure(400, 'AccessDeniedException')]],
      ['no such table', [failure(400, 'ResourceNotFoundException')]],
      ['throttled once', [failure(400, 'ThrottlingException'), done]],
      [
        'a transaction on the item, three times',
        [...Array<ScriptedResponse>(3).fill(failure(400, 'TransactionConflictException')), done],
      ],
      [
        'a transaction on the item, and then throttled',
        [failure(400, 'TransactionConflictException'), failure(400, 'ThrottlingException'), done],
      ],
      ['throttled always', [failure(400, 'ProvisionedThroughputExceededException')]],
      ['away twice', [failure(503, 'ServiceUnavailable'), failure(500, 'InternalServerError'), done]],
      ['away', [failure(500, 'InternalServerError')]],
      ['a proxy between us that fails', [{ status: 502, body: '<html>bad gateway</html>' }]],
      ['cut before the response, once', [{ status: 200, cutAfter: -1 }, done]],
      ['cut before the response, always', [{ status: 200, cutAfter: -1 }]],
      ['cut within the response, once', [{ ...done, cutAfter: 20 }, done]],
      ['cut within the response, always', [{ ...done, cutAfter: 20 }]],
      ['silence, once', [{ status: 200, silent: true }, done]],
      ['silence', [{ status: 200, silent: true }]],
    ])('%s', async (_, script) => {
      const requestTimeout = requestTimeoutOf(script);
      scripted.aws.play(script);
      const client = documents({ requestTimeout });
      const theirs = await resultOf(async () => (await client.send(new UpdateCommand(input))).Attributes);
      scripted.aws.play(script);
      const update = updates[setting]({ client: documents({ requestTimeout }), requestTimeout });
      const ours = await resultOf(async () => (await update(input))());
      expect(ours).toEqual(theirs);
      expect(ours.requests).toBeGreaterThan(0);
    });

    test("on the wire it is the SDK's request", async () => {
      scripted.aws.play([done]);
      await documents().send(new UpdateCommand(input));
      await updates[setting]()(input);
      const [theirs, ours] = scripted.aws.sent.map(({ method, url, headers, body }) => {
        const { host, 'content-type': type, 'x-amz-target': target, 'x-amz-security-token': token } = headers;
        return {
          method,
          url,
          host,
          type,
          target,
          token,
          length: headers['content-length'] === String(Buffer.byteLength(body)),
          body: JSON.parse(body),
        };
      });
      expect(ours).toEqual(theirs);
    });

    test('a clock that is wrong is put right once, and stays right', async () => {
      const hourAhead = new Date(Date.now() + 3_600_000).toUTCString();
      const skewed = failure(400, 'InvalidSignatureException');
      scripted.aws.play([
        { ...skewed, headers: { ...skewed.headers, date: hourAhead } },
        { ...done, headers: { date: hourAhead } },
      ]);
      const update = updates[setting]();
      await update(input);
      expect(scripted.aws.sent).toHaveLength(2);
      await update(input);
      expect(scripted.aws.sent).toHaveLength(3);
      expect(Math.abs(signedAt(scripted.aws.sent[2]!.headers['x-amz-date']) - Date.now() - 3_600_000)).toBeLessThan(
        60_000,
      );
    });
  },
);

test('credentials are renewed before they expire', async () => {
  scripted.aws.play([done]);
  const environment: Record<string, string> = variables();
  const use = (token: string, minutes: number): void => {
    environment['AWS_SESSION_TOKEN'] = token;
    environment['AWS_CREDENTIAL_EXPIRATION'] = new Date(Date.now() + minutes * 60_000).toISOString();
  };
  use('token-1', 4);
  const update = updates.on({ service: serviceOf('dynamodb', environment) });
  await update(input);
  use('token-2', 60);
  await update(input);
  use('token-3', 60);
  await update(input);
  const tokens = scripted.aws.sent.map(({ headers }) => headers['x-amz-security-token']);
  expect(tokens).toEqual(['token-1', 'token-2', 'token-2']);
});

test('without credentials the SDK reports it, and nothing is sent', async () => {
  scripted.aws.play([done]);
  const client = documents({ credentials: () => Promise.reject(new Error('no credentials')) });
  const service = { ...serviceOf('dynamodb'), credentials: () => undefined };
  await expect(updates.on({ client, service })(input)).rejects.toThrow('no credentials');
  expect(scripted.aws.sent).toHaveLength(0);
});

test.each([
  ['on', undefined],
  ['off', expect.stringContaining('aws-sdk-js')],
] as const)('with FAST_PATH=%s a request is sent as the operator sets', async (FAST_PATH, agent) => {
  const restore = withEnvironment(variables());
  try {
    scripted.aws.play([none, { status: 200, body: '{}' }]);
    await meterUpdate({ FAST_PATH }, async () => documents())(input);
    await modelRuntime({ FAST_PATH }).reply(invocation)(later());
    expect(scripted.aws.sent.map(({ headers }) => headers['user-agent'])).toEqual([agent, agent]);
  } finally {
    restore();
  }
});
