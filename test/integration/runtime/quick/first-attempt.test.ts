import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import fc from 'fast-check';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelChunk } from '#domain/inference/model-stream.ts';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { modelChunks } from '#gateways/sagemaker/model-chunks.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { modelStreamError, payloadPart } from '#local/sagemaker/event-frames.ts';
import { sdkUpdate } from '#repositories/meter/sdk-update.ts';
import { attributesOf } from '#repositories/shared/attributes.ts';
import { withConflictRetries } from '#repositories/shared/conflicts.ts';
import { itemOf, type Wanted } from '#repositories/shared/item-reader.ts';
import { type AwsService, awsService } from '#runtime/aws-service.ts';
import { meterUpdate, modelRuntime } from '#runtime/fast-path.ts';
import { quickRuntime } from '#runtime/quick/quick-runtime.ts';
import { quickUpdate } from '#runtime/quick/quick-update.ts';
import { signerFor } from '#runtime/signature.ts';
import { withEnvironment } from '#test/environment.ts';
import { type Answer, startScriptedAws } from '#test/scripted-aws.ts';

let aws: Awaited<ReturnType<typeof startScriptedAws>>;
beforeAll(async () => {
  aws = await startScriptedAws();
});
afterAll(() => aws.close());

const requestTimeout = 150;
/** The whole of an item, as far as a test knows its attributes. */
const wanting = (names: Iterable<string>, dictionaries: Iterable<string> = []): Wanted => ({
  attributes: new Set(names),
  dictionaries: new Set(dictionaries),
});
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/with+signs', sessionToken: 'token==' };

/** What Lambda puts into a function's environment. */
const variables = (): Record<string, string> => ({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_SESSION_TOKEN: credentials.sessionToken,
  AWS_ENDPOINT_URL_DYNAMODB: aws.url,
  AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: aws.url,
});
const serviceOf = (id: 'dynamodb' | 'sagemaker', of = variables()): AwsService => awsService(id, of)!;

test('requests are signed as the SDK signs them', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~ /+%&='.split('')), maxLength: 40 });
  const signing = fc.record({
    path: fc.array(
      fc.string({ unit: fc.constantFrom(..."abcXYZ019-_.~!*()' %é".split('')), minLength: 1, maxLength: 12 }),
      {
        maxLength: 3,
      },
    ),
    target: text.map((value) => `v${value.trim().replaceAll(/ +/g, ' ')}`),
    body: fc.string({ unit: 'binary', maxLength: 300 }),
    secretAccessKey: text.map((value) => `s${value}`),
    sessionToken: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
    region: fc.constantFrom('us-east-1', 'eu-central-1'),
    at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  });
  const property = fc.asyncProperty(signing, async ({ path: parts, target, body, region, at, ...secrets }) => {
    const path = `/${parts
      .map(encodeURIComponent)
      .filter((part) => !/^\.+$/.test(part))
      .join('/')}`;
    const headers = { host: 'aws.example.com:8443', 'content-type': 'application/json', 'x-amz-target': target };
    const own = { accessKeyId: 'AKID', ...secrets };
    const sdk = new DynamoDBClient({ region, credentials: { accessKeyId: 'AKID', ...given(secrets) } });
    const signer = await sdk.config.signer();
    const request = { method: 'POST', protocol: 'https:', hostname: 'aws.example.com', path, query: {}, headers, body };
    const theirs = await signer.sign(Object.assign(request, { clone: () => request }), {
      signingDate: at,
      unsignableHeaders: new Set(['x-amz-content-sha256']),
    });
    const { 'x-amz-content-sha256': _, ...expected } = theirs.headers;
    expect(signerFor('dynamodb', region)({ path, headers, body }, own, at.getTime())).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 200 });
});

const given = (values: { secretAccessKey: string; sessionToken: string | undefined }) => ({
  secretAccessKey: values.secretAccessKey,
  ...(values.sessionToken && { sessionToken: values.sessionToken }),
});

test('attributes are written and read as the SDK does it', () => {
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e9, max: 1e9 }),
  );
  const name = fc.string().filter((text) => text !== '__proto__');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      number,
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.array(tie('value')),
      fc.dictionary(name, tie('value'), { noNullPrototype: true }),
    ),
  }));
  const property = fc.property(
    fc.dictionary(name, value, { noNullPrototype: true }),
    fc.constantFrom(0, 2, '\t'),
    (item, space) => {
      const theirs = marshall(item, { removeUndefinedValues: true });
      expect(attributesOf(item)).toEqual(theirs);
      const text = JSON.stringify({ Attributes: theirs }, null, space);
      expect(itemOf(text, wanting(Object.keys(theirs)))).toEqual(unmarshall(theirs));
      const names = Object.keys(theirs).filter((_, index) => index % 2 === 0);
      expect(itemOf(text, wanting(names))).toEqual(unmarshall(only(theirs, names)));
    },
  );
  fc.assert(property, { numRuns: 300 });
});

const only = <T>(values: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

test('what is no attribute is refused', () => {
  for (const odd of [{ a: Number.NaN }, { a: new Date() }, { a: 1n }])
    expect(() => attributesOf(odd)).toThrow(TypeError);
});

test('maps whose names are data are read as a Map, of the item itself only', () => {
  const item = { h: { 'a"\\é': 1, '\\': [true] }, s: { h: { a: null } } };
  const { h, s } = item;
  const text = JSON.stringify({ Attributes: marshall(item) });
  expect(itemOf(text, wanting(['h', 's'], ['h']))).toEqual({ h: new Map(Object.entries(h)), s });
});

test('an answer without an item is read as none, and what is not an item is refused', () => {
  for (const text of ['{}', ' { } ']) expect(itemOf(text, wanting(['a']))).toBeUndefined();
  const attribute = (value: string) => `{"Attributes":{"a":${value}}}`;
  for (const number of ['9007199254740993', '1e300'])
    expect(() => itemOf(attribute(`{"N":"${number}"}`), wanting(['a']))).toThrow(RangeError);
  for (const foreign of [attribute('{"SS":["a"]}'), attribute('{"B":"YQ=="}'), '{"ConsumedCapacity":{}}'])
    expect(() => itemOf(foreign, wanting(['a']))).toThrow(TypeError);
  for (const odd of [attribute('{}'), attribute('{"S":"a","N":"1"}')])
    expect(() => itemOf(odd, wanting(['a']))).toThrow(SyntaxError);
  const whole = attribute('{"L":[{"S":"a\\"b"},{"BOOL":false},{"M":{"c":{"NULL":true}}}]}');
  expect(itemOf(whole, wanting(['a']))).toEqual({ a: ['a"b', false, { c: null }] });
  for (let length = 0; length < whole.length; length++)
    for (const names of [['a'], []]) expect(() => itemOf(whole.slice(0, length), wanting(names))).toThrow(SyntaxError);
});

const failure = (status: number, type: string, more: object = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'R' },
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `It is ${type}.`, ...more }),
});
const done: Answer = {
  status: 200,
  headers: { 'x-amzn-requestid': 'R' },
  body: JSON.stringify({
    Attributes: { a: { N: '7' }, h: { M: { é: { L: [{ N: '1.5' }, { S: 'ü' }, { BOOL: true }] } } } },
  }),
};
const everything = wanting(['a', 'h']);
const none: Answer = { status: 200, body: '{}' };
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

function documents(about: ConstructorParameters<typeof DynamoDBClient>[0] = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: aws.url,
    credentials,
    retryStrategy: new ConfiguredRetryStrategy(3, 0),
    requestHandler: { connectionTimeout: 500, requestTimeout: 150, throwOnRequestTimeout: true },
    ...about,
  });
  return DynamoDBDocumentClient.from(withConflictRetries(client), { marshallOptions: { removeUndefinedValues: true } });
}

/** The two ways to send an UpdateItem: FAST_PATH on and off. */
const updates = {
  on: (client = documents(), service = serviceOf('dynamodb')) =>
    quickUpdate(service, async () => client, { wanted: everything, requestTimeout }),
  off: (client = documents()) => sdkUpdate(client),
};

/** What came of a call, as far as anybody can tell: its value or its error, and how often AWS was asked. */
async function told(call: () => Promise<unknown>) {
  const outcome = await call().then(
    (value) => ({ value }),
    (error: Error & { $metadata?: object; Item?: object; code?: string }) => ({
      kind: error.constructor.name,
      name: error.name,
      code: error.code,
      message: error.message,
      item: error.Item,
      metadata: error.$metadata,
    }),
  );
  return { outcome, requests: aws.sent.length, bodies: aws.sent.map(({ body }) => JSON.parse(body)) };
}

describe.each(['on', 'off'] as const)(
  'an UpdateItem comes to the same as the SDK makes of it, fast path %s',
  (setting) => {
    test.each<[string, Answer[]]>([
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
        [...Array<Answer>(3).fill(failure(400, 'TransactionConflictException')), done],
      ],
      [
        'a transaction on the item, and then throttled',
        [failure(400, 'TransactionConflictException'), failure(400, 'ThrottlingException'), done],
      ],
      ['throttled always', [failure(400, 'ProvisionedThroughputExceededException')]],
      ['away twice', [failure(503, 'ServiceUnavailable'), failure(500, 'InternalServerError'), done]],
      ['away', [failure(500, 'InternalServerError')]],
      ['a proxy between us that fails', [{ status: 502, body: '<html>bad gateway</html>' }]],
      ['cut before the answer, once', [{ status: 200, cutAfter: -1 }, done]],
      ['cut before the answer, always', [{ status: 200, cutAfter: -1 }]],
      ['cut within the answer, once', [{ ...done, cutAfter: 20 }, done]],
      ['cut within the answer, always', [{ ...done, cutAfter: 20 }]],
      ['silence, once', [{ status: 200, silent: true }, done]],
      ['silence', [{ status: 200, silent: true }]],
    ])('%s', async (_, script) => {
      aws.play(script);
      const client = documents();
      const theirs = await told(async () => (await client.send(new UpdateCommand(input))).Attributes);
      aws.play(script);
      const update = updates[setting]();
      const ours = await told(async () => (await update(input))());
      expect(ours).toEqual(theirs);
      expect(ours.requests).toBeGreaterThan(0);
    });

    test("on the wire it is the SDK's request", async () => {
      aws.play([done]);
      await documents().send(new UpdateCommand(input));
      await updates[setting]()(input);
      const [theirs, ours] = aws.sent.map(({ method, url, headers, body }) => {
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
      aws.play([
        { ...skewed, headers: { ...skewed.headers, date: hourAhead } },
        { ...done, headers: { date: hourAhead } },
      ]);
      const update = updates[setting]();
      await update(input);
      expect(aws.sent).toHaveLength(2);
      await update(input);
      expect(aws.sent).toHaveLength(3);
      expect(Math.abs(signedAt(aws.sent[2]!.headers['x-amz-date']) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    });
  },
);

test('credentials are renewed before they expire', async () => {
  aws.play([done]);
  const environment: Record<string, string> = variables();
  const use = (token: string, minutes: number): void => {
    environment['AWS_SESSION_TOKEN'] = token;
    environment['AWS_CREDENTIAL_EXPIRATION'] = new Date(Date.now() + minutes * 60_000).toISOString();
  };
  use('token-1', 4);
  const update = updates.on(documents(), serviceOf('dynamodb', environment));
  await update(input);
  use('token-2', 60);
  await update(input);
  use('token-3', 60);
  await update(input);
  const tokens = aws.sent.map(({ headers }) => headers['x-amz-security-token']);
  expect(tokens).toEqual(['token-1', 'token-2', 'token-2']);
});

test('without credentials the SDK says so, and nothing is sent', async () => {
  aws.play([done]);
  const client = documents({ credentials: () => Promise.reject(new Error('no credentials')) });
  const service = { ...serviceOf('dynamodb'), credentials: () => undefined };
  await expect(updates.on(client, service)(input)).rejects.toThrow('no credentials');
  expect(aws.sent).toHaveLength(0);
});

test.each([
  ['on', undefined],
  ['off', expect.stringContaining('aws-sdk-js')],
] as const)('with FAST_PATH=%s a request is sent as the operator says', async (FAST_PATH, agent) => {
  const restore = withEnvironment(variables());
  try {
    aws.play([none, { status: 200, body: '{}' }]);
    await meterUpdate({ FAST_PATH }, async () => documents())(input);
    await modelRuntime({ FAST_PATH }).reply(invocation)(later());
    expect(aws.sent.map(({ headers }) => headers['user-agent'])).toEqual([agent, agent]);
  } finally {
    restore();
  }
});

const signedAt = (stamp: unknown): number =>
  Date.parse(String(stamp).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const models = (): SageMakerRuntimeClient =>
  new SageMakerRuntimeClient({ region: 'us-east-1', endpoint: aws.url, credentials, maxAttempts: 1 });
const runtimes = {
  on: () => quickRuntime(serviceOf('sagemaker'), async () => models(), {}),
  off: () => sdkRuntime(models()),
};
const modelFailure = (status: number, type: string, more: object = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': type },
  body: JSON.stringify({ Message: `It is ${type}.`, ...more }),
});
const invocation = { endpoint: 'svc-1', component: 'part', body: { messages: ['ü'] }, maxBytes: 1e6 };
const later = () => new Deadline(10_000);
const frames = Buffer.concat([payloadPart(Buffer.from('data: {"é"')), payloadPart(Buffer.from(':1}\n\n'))]);
const frameHeaders = { 'content-type': 'application/vnd.amazon.eventstream' };

async function all(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: string[] = [];
  for await (const part of parts) pieces.push(Buffer.from(part).toString());
  return pieces.join('|');
}

describe.each(['on', 'off'] as const)(
  'an invocation comes to the same as the SDK makes of it, in one attempt, fast path %s',
  (setting) => {
    test.each<[string, Answer]>([
      ['answered', { status: 200, body: '{"é":1}' }],
      ['an answer that is no JSON', { status: 200, body: 'hm' }],
      ['an answer that is too long', { status: 200, body: `"${'x'.repeat(invocation.maxBytes)}"` }],
      ['the model failed', modelFailure(424, 'ModelError', { OriginalStatusCode: 422, OriginalMessage: 'too long' })],
      ['the model is not ready', modelFailure(429, 'ModelNotReadyException')],
      ['away', modelFailure(503, 'ServiceUnavailable')],
      ['throttled', modelFailure(429, 'ThrottlingException')],
      ['no such endpoint', modelFailure(400, 'ValidationError')],
      ['cut', { status: 200, cutAfter: -1 }],
      ['cut within the answer', { status: 200, body: '{"é":1}', cutAfter: 3 }],
    ])('%s', async (_, answer) => {
      aws.play([answer]);
      const theirs = await told(() => runtimes.off().reply(invocation)(later()));
      const [sentByThem] = aws.sent;
      aws.play([answer]);
      const ours = await told(() => runtimes[setting]().reply(invocation)(later()));
      expect(ours).toEqual(theirs);
      expect(ours.requests).toBe(1);
      expect(essence(aws.sent[0]!.headers)).toEqual(essence(sentByThem!.headers));
      expect(aws.sent[0]!.url).toBe(sentByThem!.url);
    });

    test.each<[string, Answer]>([
      ['answered', { status: 200, headers: frameHeaders, body: frames }],
      [
        'the stream tells of a failure',
        { status: 200, headers: frameHeaders, body: Buffer.concat([frames, modelStreamError('broken')]) },
      ],
      ['cut within a frame', { status: 200, headers: frameHeaders, body: frames, cutAfter: frames.length - 5 }],
      ['the model failed', modelFailure(424, 'ModelError', { OriginalStatusCode: 500, OriginalMessage: 'oh' })],
      ['away', modelFailure(503, 'ServiceUnavailable')],
      ['cut', { status: 200, cutAfter: -1 }],
    ])('streamed: %s', async (_, answer) => {
      aws.play([answer]);
      const theirs = await told(() => all(runtimes.off().parts(invocation)(later())));
      const [sentByThem] = aws.sent;
      aws.play([answer]);
      const ours = await told(() => all(runtimes[setting]().parts(invocation)(later())));
      expect(withoutMetadata(ours)).toEqual(withoutMetadata(theirs));
      expect(ours.requests).toBe(1);
      expect(essence(aws.sent[0]!.headers)).toEqual(essence(sentByThem!.headers));
    });

    test('made ready, it leaves when it is sent; given up, it ends at once', async () => {
      for (const runtime of [runtimes[setting]()]) {
        aws.play([{ status: 200, silent: true }]);
        const over = new Deadline(10_000);
        const send = runtime.reply(invocation);
        await sleep(5);
        expect(aws.sent).toEqual([]);
        const outcome = told(() => send(over));
        while (aws.sent.length === 0) await sleep(5);
        over.end();
        expect(await outcome).toMatchObject({ outcome: { name: 'AbortError' }, requests: 1 });
      }
    });
  },
);

test("streams that are read to the model's last word share one connection; one that is left takes it along", async () => {
  const words = [{ delta: { content: 'a' } }, { delta: {}, finish_reason: 'stop' }];
  const lines = [...words.map((choice) => JSON.stringify({ choices: [choice] })), '[DONE]'];
  const body = Buffer.concat(lines.map((line) => payloadPart(Buffer.from(`data: ${line}\n\n`))));
  const whole = { status: 200, headers: frameHeaders, body };
  aws.play([whole]);
  const runtime = runtimes.on();
  const read = () =>
    modelChunks({
      model: 'svc-1',
      parts: runtime.parts(invocation),
      chunk: (event) => v.parse(ModelChunk, event),
      deadline: new Deadline(1000),
      waitMs: 1000,
      maxBytes: 1e6,
    });
  for (let call = 0; call < 5; call++) {
    expect(await Array.fromAsync(read())).toHaveLength(2);
    await sleep(5);
  }
  expect(new Set(aws.sent.map(({ connection }) => connection)).size).toBe(1);
  aws.play([{ ...whole, hangsAfter: body.length - 30 }, whole]);
  for await (const _ of read()) break;
  await sleep(5);
  expect(await Array.fromAsync(read())).toHaveLength(2);
  expect(aws.sent[1]!.connection).not.toBe(aws.sent[0]!.connection);
});

test('an invocation that is given up when its answer is there, or anywhere within, breaks nothing', async () => {
  const runtime = runtimes.on();
  aws.play([{ status: 200, headers: frameHeaders, body: frames }]);
  for (let round = 0; round < 60; round++) {
    const over = later();
    if (round % 3 === 0) await all(runtime.parts(invocation)(over));
    else for await (const _ of runtime.parts(invocation)(over)) if (round % 3 === 1) break;
    if (round % 2 === 0) await nextTurn();
    over.end();
  }
  await nextTurn();
  expect(aws.sent).toHaveLength(60);
});

/** Where a stream breaks is told in it. */
function withoutMetadata({ outcome, ...rest }: Awaited<ReturnType<typeof told>>) {
  return { ...rest, outcome: { ...outcome, metadata: undefined } };
}

function essence(headers: Record<string, unknown>) {
  const names = Object.keys(headers).filter((name) => /^(content-type|accept|host|x-amzn)/.test(name));
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}
