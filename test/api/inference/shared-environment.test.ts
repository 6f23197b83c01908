import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { benchAccounts } from '#bench/shared/database.ts';
import { tableVariables } from '#contract/platform/environment.ts';
import { metrics } from '#contract/platform/metrics.ts';
import { tables } from '#contract/platform/resources.ts';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { listen, listener, readBody, sendJson } from '#local/shared/loopback.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { exampleOffer } from '#test/service/offered-service.ts';

/**
 * The maximum of `callsPerEnvironment`. All calls run at the same time, each by another account. One in ten is answered by
 * the second endpoint of its model, one fails at both, and one is left by its client.
 */
const count = 200;
const credits = 1000 * 1_000_000;
const rates = { 'model-a': [2, 8], 'model-b': [3, 11], 'model-c': [5, 13] } as const;
type Model = keyof typeof rates;
const kinds: Readonly<Record<number, 'fallback' | 'failed' | 'disconnected'>> = {
  3: 'fallback',
  7: 'failed',
  9: 'disconnected',
};
const accounts = benchAccounts(count, { microCredits: credits });
const calls = accounts.map((account, n) => {
  const model = (['model-a', 'model-b', 'model-c'] as const)[n % 3] as Model;
  const text = `call ${n}: ${'what does a fox do? '.repeat(3 + (n % 17))}`;
  const usage = { prompt_tokens: 12 + (n % 31), completion_tokens: n + 1, total_tokens: 13 + (n % 31) + n };
  const [input, output] = rates[model];
  const kind = kinds[n % 10] ?? 'usual';
  const cost = kind === 'failed' ? 0 : usage.prompt_tokens * input + usage.completion_tokens * output;
  return {
    n,
    account,
    model,
    text,
    usage,
    kind,
    cost,
    isStream: n % 2 === 1,
    words: [`answer-to-${n} `, 'is ', `${n}.`],
  };
});
type TestCall = (typeof calls)[number];

interface Line {
  readonly [name: string]: any;
}
interface Result {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

/** Endpoints of the models that responded, such as `model-a-2`, and the calls whose connection to the model was closed. */
const answered: string[] = [];
const closed: number[] = [];
/** Resolves once every call waits for its model. */
const waiting = new Set<number>();
const allWait = Promise.withResolvers<void>();
const lines: Line[] = [];
const results: Result[] = [];
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let model: Awaited<ReturnType<typeof listen>>;
let child: ChildProcess;
let folder: string;

const pause = () => sleep(Math.random() * 200);

/** A model that answers by the text of the call, after random delays, the first of which ends once all calls wait. */
const server = listener(async (request, response) => {
  const { messages, stream } = JSON.parse((await readBody(request)).toString());
  const call = calls[Number(/^call (\d+):/.exec(messages[0].content)?.[1])]!;
  const endpoint = /\/endpoints\/([^/]+)\//.exec(request.url ?? '')?.[1] ?? '';
  if (waiting.add(call.n).size === count) allWait.resolve();
  await allWait.promise;
  await pause();
  if (call.kind === 'failed' || (call.kind === 'fallback' && endpoint.endsWith('-1')))
    return sendJson(
      response,
      500,
      { Message: `no answer to call ${call.n}` },
      { 'x-amzn-errortype': 'InternalFailure' },
    );
  if (messages[0].content !== call.text) return sendJson(response, 400, { Message: 'a mixed text' });
  answered.push(endpoint);
  const about = { id: 'chatcmpl-1', created: 1_780_272_000, model: call.model };
  if (!stream) {
    const message = { role: 'assistant', content: call.words.join('') };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return sendJson(response, 200, { ...about, object: 'chat.completion', choices, usage: call.usage });
  }
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  const send = (choice: object, more: object = {}) => {
    const chunk = {
      ...about,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, finish_reason: null, ...choice }],
      ...more,
    };
    response.write(payloadPart(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)));
  };
  if (call.kind === 'disconnected') {
    send({ delta: { content: call.words[0] } });
    await once(response, 'close');
    closed.push(call.n);
    return;
  }
  for (const content of call.words) {
    send({ delta: { content } });
    await pause();
  }
  send({ delta: {}, finish_reason: 'stop' }, { usage: call.usage });
  response.end(payloadPart(Buffer.from('data: [DONE]\n\n')));
});

async function send(origin: string, { n, account, model: id, text, isStream, kind }: TestCall): Promise<Result> {
  const leaving = new AbortController();
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json', 'x-call': `call-${n}` },
    body: JSON.stringify({ model: id, messages: [{ role: 'user', content: text }], max_tokens: 400, stream: isStream }),
    signal: leaving.signal,
  });
  const about = { status: response.status, requestId: response.headers.get('x-request-id') ?? '' };
  if (kind !== 'disconnected') return { ...about, text: await response.text() };
  const { value } = await response.body!.getReader().read();
  leaving.abort();
  return { ...about, text: new TextDecoder().decode(value) };
}

beforeAll(async () => {
  folder = await testFolder();
  [database, model] = await Promise.all([startTestDatabase(), listen(server)]);
  for (let at = 0; at < count; at += 25) {
    const puts = accounts.slice(at, at + 25).map(({ item }) => ({ PutRequest: { Item: item } }));
    await database.client.send(new BatchWriteCommand({ RequestItems: { [tables.meters.name]: puts } }));
  }
  const { models: _, uses: __, ...offer } = await exampleOffer();
  const models = Object.entries(rates).map(([id, [input, output]]) => ({
    id,
    title: id,
    capabilities: ['chat'],
    contextWindow: 8192,
    endpoints: [1, 2].map((place) => ({ kind: 'sagemaker', endpoint: `${id}-${place}`, family: 'vllm' })),
    price: { input, output },
  }));
  const file = join(folder, 'offer.json');
  await writeFile(file, JSON.stringify({ ...offer, models, uses: { translation: 'model-a', analysis: 'model-a' } }));
  const script = 'test/support/service/shared-environment.ts';
  child = spawn(process.execPath, [script, 'create-chat-completion', file, join(folder, 'bundle')], {
    env: {
      ...process.env,
      AWS_LAMBDA_MAX_CONCURRENCY: String(count),
      AWS_ENDPOINT_URL_DYNAMODB: database.url,
      AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: model.url,
      [tableVariables.meters]: tables.meters.name,
      [tableVariables.idempotency]: tables.idempotency.name,
      POWERTOOLS_METRICS_NAMESPACE: 'test',
      POWERTOOLS_LOG_LEVEL: 'INFO',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const output of [child.stdout!, child.stderr!])
    createInterface({ input: output }).on('line', (line) => lines.push(JSON.parse(line)));
  await vi.waitUntil(() => lines.length > 0, { timeout: 60_000 });
  const { origin } = lines.shift()!;
  results.push(...(await Promise.all(calls.map((call) => send(origin, call)))));
  await vi.waitUntil(() => lines.filter(({ message }) => message === 'request').length === count, { timeout: 60_000 });
}, 180_000);

afterAll(async () => {
  child?.kill();
  await Promise.all([model?.close(), database?.close()]);
  await removeFolder(folder);
});

const requestLine = ({ n }: TestCall) =>
  lines.find(({ message, requestId }) => message === 'request' && requestId === results[n]!.requestId)!;
const textIn = (stream: string) => [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('');
const whole = calls.filter(({ kind }) => kind === 'usual' || kind === 'fallback');
const of = (kind: TestCall['kind']) => calls.filter((call) => call.kind === kind);

describe('200 concurrent calls of different accounts through one environment', () => {
  test('each get the response to their own text, with their own tokens and request id', () => {
    expect(new Set(results.map(({ requestId }) => requestId)).size).toBe(count);
    for (const { n, words, usage, isStream } of whole) {
      const { status, text } = results[n]!;
      expect([n, status, textIn(text)]).toEqual([n, 200, words.join('')]);
      if (!isStream) expect(JSON.parse(text).data.usage).toMatchObject(usage);
    }
    for (const { n, words } of of('disconnected'))
      expect(words.join('').startsWith(textIn(results[n]!.text))).toBe(true);
    for (const { n } of of('failed'))
      expect(results[n]).toMatchObject({ status: 502, text: expect.stringContaining('MODEL_ERROR') });
  });

  test('each write one line, with their own account, key, model, tokens and cost', () => {
    for (const call of calls) {
      const { n, account, model: id, usage, cost, kind, isStream } = call;
      const line = requestLine(call);
      expect(line).toMatchObject({
        accountId: account.accountId,
        keyId: Object.keys(Object(account.item['k']))[0],
        record: { model: id, isStream },
        status: results[n]!.status,
      });
      if (kind === 'disconnected') continue;
      expect([n, line['cost']]).toEqual([n, cost]);
      if (kind === 'failed') continue;
      const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
      expect(line['record']).toMatchObject({ promptTokens, completionTokens });
    }
  });

  test('are each charged their own cost, and no hold remains', async () => {
    const items: Line[] = [];
    for await (const { Items = [] } of paginateScan({ client: database.client }, { TableName: tables.meters.name }))
      items.push(...Items);
    const byAccount = new Map(items.map((item) => [item['a'], item]));
    for (const call of calls) {
      const { c: spendable, h: holds } = byAccount.get(call.account.accountId)!;
      const { cost } = requestLine(call);
      expect([call.n, credits - spendable, Object.keys(holds ?? {})]).toEqual([call.n, cost, []]);
      if (call.kind === 'disconnected') expect(cost).toBeGreaterThan(0);
    }
  });

  test('end by themselves: a client that leaves or a model that fails ends no other call', () => {
    for (const call of calls)
      expect([call.n, requestLine(call)['code']]).toEqual([call.n, call.kind === 'failed' ? 'MODEL_ERROR' : undefined]);
    expect(closed.toSorted((a, b) => a - b)).toEqual(of('disconnected').map(({ n }) => n));
  });

  test('report errors with their own request id, model and trace', () => {
    const failures = lines.filter(({ message }) => message === 'a dependency failed');
    expect(failures).toHaveLength(of('failed').length);
    for (const { n, model: id } of of('failed')) {
      const line = failures.find(({ requestId }) => requestId === results[n]!.requestId);
      expect(line).toMatchObject({ model: id, xray_trace_id: `call-${n}` });
    }
    for (const { endpoint, xray_trace_id: trace } of lines.filter(
      ({ message }) => message === 'a model endpoint failed',
    )) {
      const { model: id, kind } = calls[Number(/^call-(\d+)$/.exec(trace)?.[1])]!;
      expect([trace, endpoint, kind]).toEqual([trace, expect.stringContaining(`${id} `), expect.stringMatching(/^fa/)]);
    }
  });

  test('write metrics of single calls: one value each, as many as the models answered', () => {
    const documents = lines.filter((line) => '_aws' in line);
    for (const { _aws, ...values } of documents)
      for (const { Name } of _aws.CloudWatchMetrics[0].Metrics) expect(values[Name]).toEqual(expect.any(Number));
    const tally = (names: readonly string[]) => new Map(Object.entries(Object.groupBy(names, (name) => name)));
    const counted = documents.flatMap(({ endpoint }) => (endpoint === undefined ? [] : endpoint.replace(' ', '-')));
    expect(tally(counted)).toEqual(tally(answered));
    const causes = documents.flatMap(({ cause }) => cause ?? []);
    expect(causes).toEqual(of('failed').map(() => 'MODEL_ERROR'));
    const fallbacks = documents.filter((values) => metrics.fallbackResponses in values);
    expect(fallbacks).toHaveLength(answered.filter((endpoint) => endpoint.endsWith('-2')).length);
  });
});
