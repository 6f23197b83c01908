import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenAiEndpoint } from '#contract/offer/offer.ts';
import { openAiRuntime } from '#gateways/openai-runtime.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { RecentFailures } from '#gateways/sagemaker/served-model.ts';
import { read } from '#test/models/model-families.ts';

type Respond = (response: ServerResponse) => unknown;

const message = { content: 'Hello' };
const whole = { choices: [{ message, finish_reason: 'stop' }] };
const answer =
  (status: number, body: unknown, headers = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

async function serve(listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Keys of the secret by request; the last one stays. */
let keys: string[];
let asked: unknown[];
let isSilent: boolean;
let respond: Respond;
let requests: { path: string | undefined; authorization: string | undefined; body: unknown }[];
let server: Awaited<ReturnType<typeof serve>>;
let secrets: Awaited<ReturnType<typeof serve>>;
let runtime: ReturnType<typeof openAiRuntime>;

beforeAll(async () => {
  server = await serve(async (request: IncomingMessage, response) => {
    const { url: path, headers } = request;
    requests.push({ path, authorization: headers.authorization, body: await json(request) });
    if (keys.length > 0 && headers.authorization !== `Bearer ${keys.at(-1)}`) answer(401, {})(response);
    else respond(response);
  });
  secrets = await serve(async (request, response) => {
    asked.push(JSON.parse(await text(request)));
    if (isSilent) return;
    const key = keys.length > 1 ? keys.shift() : keys[0];
    response.setHeader('content-type', 'application/x-amz-json-1.1').end(JSON.stringify({ SecretString: `${key}\n` }));
  });
});
afterAll(() => Promise.all([server.close(), secrets.close()]));
beforeEach(() => {
  [keys, asked, isSilent, requests, respond] = [[], [], false, [], answer(200, whole)];
  runtime = openAiRuntime({}, new SecretsProvider({ clientConfig: { endpoint: secrets.origin } }));
});

function gateway(endpoint: Partial<OpenAiEndpoint> = {}, deadlineMs = 5000) {
  const place = { kind: 'openai', url: `${server.origin}/v1`, model: 'large', ...endpoint } as const;
  const deadlines = { deadlineMs, streamDeadlineMs: deadlineMs };
  return sagemakerGateway(runtime, { endpointsOf: () => [place], ...deadlines, failures: new RecentFailures() });
}

const request = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 } as const;
const chat = (endpoint?: Partial<OpenAiEndpoint>, deadlineMs?: number) =>
  gateway(endpoint, deadlineMs).chat('svc-1', request).send();

describe('a model on a server with OpenAI’s API', () => {
  it('receives the request at its path under the base URL, with its own model name', async () => {
    expect(await chat({ url: `${server.origin}/base/v1/?api-version=3` })).toMatchObject({ choices: whole.choices });
    expect(requests).toMatchObject([
      {
        path: '/base/v1/chat/completions?api-version=3',
        authorization: undefined,
        body: { model: 'large', max_tokens: 10 },
      },
    ]);
  });

  it('receives embeddings and streamed completions without vLLM’s own options', async () => {
    respond = answer(200, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } });
    await gateway().embed('svc-embed', { input: ['a'] });
    respond = (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"choices":[{"text":"Hello","finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    const stream = gateway().completionStream('svc-1', { prompt: 'Hi', max_tokens: 10 });
    expect((await read(stream.send())).text).toBe('Hello');
    expect(requests).toMatchObject([
      { path: '/v1/embeddings' },
      { path: '/v1/completions', body: { stream: true, stream_options: { include_usage: true } } },
    ]);
    expect(requests[1]?.body).not.toHaveProperty('stream_options.continuous_usage_stats');
  });

  it.each<[status: number, body: unknown, code: string]>([
    [400, { error: { message: 'temperature is invalid', code: 400 } }, 'INVALID_FORMAT'],
    [
      400,
      { error: { message: 'maximum context length is 10 tokens, however you requested 20' } },
      'CONTEXT_LENGTH_EXCEEDED',
    ],
    [400, { error: { message: 'Your credit balance is too low to access the API.' } }, 'SERVICE_UNAVAILABLE'],
    [400, { code: 'Bad Request', error: 'Incorrect API key provided: x-1.' }, 'SERVICE_UNAVAILABLE'],
    [400, [{ error: { code: 400, message: 'API key not valid. Pass a valid API key.' } }], 'SERVICE_UNAVAILABLE'],
    [400, { error: { message: 'messages must not ask for an API key' } }, 'INVALID_FORMAT'],
    [401, {}, 'SERVICE_UNAVAILABLE'],
    [404, { error: { message: 'The model does not exist' } }, 'SERVICE_UNAVAILABLE'],
    [429, { error: { message: 'Rate limit' } }, 'SERVICE_UNAVAILABLE'],
    [429, { error: 'x'.repeat(200_000) }, 'SERVICE_UNAVAILABLE'],
    [500, {}, 'MODEL_ERROR'],
    [200, { choices: [{ message: { content: 'a'.repeat(2_000_000) }, finish_reason: 'stop' }] }, 'MODEL_ERROR'],
    [200, { choices: [{ message: { content: null, audio: { data: '' } }, finish_reason: 'stop' }] }, 'MODEL_ERROR'],
    [503, {}, 'SERVICE_UNAVAILABLE'],
    [302, {}, 'MODEL_ERROR'],
    [200, 'not an object', 'MODEL_ERROR'],
  ])('that responds with %i (%#) fails with the same error as on SageMaker', async (status, body, code) => {
    respond = answer(status, body, status === 302 && { location: `${server.origin}/elsewhere` });
    await expect(chat()).rejects.toMatchObject({ code });
    expect(requests).toHaveLength(1);
  });

  it.each<[fault: string, respond: Respond, code: string]>([
    ['is silent', () => undefined, 'MODEL_TIMEOUT'],
    ['resets the connection', (response) => response.destroy(), 'MODEL_ERROR'],
    ['compresses', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('\u001f'), 'MODEL_ERROR'],
    ['never ends', (response) => response.writeHead(200).write(' '.repeat(100)), 'MODEL_TIMEOUT'],
  ])('that %s fails within the deadline', async (_, fault, code) => {
    respond = fault;
    await expect(chat({}, 300)).rejects.toMatchObject({ code });
  });

  it('may return the deprecated function_call, and a refusal in its own field', async () => {
    const called = { name: 'weather', arguments: '{}' };
    respond = answer(200, { choices: [{ message: { content: null, function_call: called }, finish_reason: 'stop' }] });
    expect(await chat()).toMatchObject({ choices: [{ message: { tool_calls: [{ function: called }] } }] });
    respond = answer(200, { choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] });
    expect(await chat()).toMatchObject({ choices: [{ message: { content: 'No.' } }] });
  });

  it('that cannot be reached fails', async () => {
    await expect(chat({ url: 'http://127.0.0.1:1/v1' })).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });
});

describe('the key of a model server', () => {
  const secret = 'acme-models';

  it('is the environment variable, if set', async () => {
    keys = ['from-variable'];
    runtime = openAiRuntime({ ACME_MODELS: 'from-variable' });
    await chat({ secret });
    expect(requests).toMatchObject([{ authorization: 'Bearer from-variable' }]);
  });

  it('is read from the secret once for many calls, and again if the server rejects it', async () => {
    keys = ['old', 'new'];
    await chat({ secret });
    await chat({ secret });
    expect(requests.map(({ authorization }) => authorization)).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
    expect(asked).toEqual([{ SecretId: 'acme-models' }, { SecretId: 'acme-models' }]);
  });

  it('that Secrets Manager does not return ends the call at its deadline', async () => {
    keys = ['slow'];
    isSilent = true;
    await expect(chat({ secret }, 300)).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
    expect(requests).toEqual([]);
  });

  it('that is not a key makes the model unavailable, until the secret is corrected', async () => {
    keys = ['two\r\nlines', 'key'];
    await expect(chat({ secret })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await chat({ secret })).toMatchObject({ choices: whole.choices });
  });

  it('is read once for concurrent calls', async () => {
    keys = ['key'];
    await Promise.all(Array.from({ length: 8 }, () => chat({ secret })));
    expect(asked).toHaveLength(1);
  });

  it('that the server keeps rejecting fails the call after one more attempt', async () => {
    keys = ['old'];
    respond = answer(401, {});
    await expect(chat({ secret })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(chat({ secret })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect([requests.length, asked.length]).toEqual([3, 2]);
  });
});
