import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startOffered } from '#test/service/offered-service.ts';

const dayMs = 86_400_000;
const day = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
const [first, second] = [day(10), day(20)];

/** The tests run in the order of the service's clock, which only goes forward. */
describe('a service whose models change over time', () => {
  let models: Server;
  let folder: string;
  let service: Awaited<ReturnType<typeof startOffered>>;
  /** Ends a stream that waits before its last chunk. */
  let finish: (() => void) | undefined;

  const usage = { prompt_tokens: 1000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = (await json(req)) as { stream?: boolean };
    if (!body.stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
      res.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
      return;
    }
    const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
    res.setHeader('content-type', 'text/event-stream');
    res.write(event({ choices: [{ index: 0, delta: { content: 'Hello' } }] }));
    await new Promise<void>((resolve) => (finish = resolve));
    res.end(`${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}data: [DONE]\n\n`);
  }

  beforeAll(async () => {
    models = createServer((req, res) => void respond(req, res)).listen(0, '127.0.0.1');
    await once(models, 'listening');
    const url = `http://127.0.0.1:${(models.address() as AddressInfo).port}/v1`;
    const model = (id: string, more: object) => ({
      id,
      capabilities: ['chat', 'completion'],
      contextWindow: 8192,
      endpoints: [{ kind: 'openai', url, model: id }],
      price: { input: 2, cachedInput: 0.5, output: 8 },
      ...more,
    });
    const offer = {
      version: 1,
      models: [
        model('steady', { priceChanges: [{ effectiveFrom: first, input: 4, cachedInput: 1, output: 16 }] }),
        model('old', { aliases: ['old-alias'], deprecatedFrom: first, retiredFrom: second, replacedBy: 'steady' }),
        model('coming', { availableFrom: first }),
      ],
    };
    folder = await testFolder();
    service = await startOffered(offer, folder);
  });

  afterAll(async () => {
    await service.stop();
    models.close();
    await removeFolder(folder);
  });

  async function send(path: string, body?: object, headers: object = {}) {
    const response = await fetch(`${service.origin}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}`, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const parsed: any = await response.json();
    const named = (name: string) => response.headers.get(name);
    return {
      status: response.status,
      dates: [named('deprecation'), named('sunset')],
      charged: named('x-credits-charged'),
      body: parsed,
      detail: parsed.detail ?? parsed.error?.message,
    };
  }
  const messages = [{ role: 'user', content: 'Hello' }];
  const chat = (model: string, headers?: object) => send('/v1/chat/completions', { model, messages }, headers);
  const listed = async (): Promise<any[]> => (await send('/v1/models')).body.data;
  const moveTo = async (now: string) => expect((await send('/_local/clock', { now })).status).toBe(200);
  const headersOfOld = [`@${Date.parse(first) / 1000}`, new Date(second).toUTCString()];
  const unknown = (names: string) => `model must name a model for chat: ${names}.`;

  it('treats a model before its first day like an unknown one', async () => {
    const refusals = [await chat('coming'), await chat('nothing'), await send('/openai/v1/models/coming')];
    expect(refusals.map(({ status, detail }) => [status, detail])).toEqual([
      [400, unknown('steady or old')],
      [400, unknown('steady or old')],
      [404, 'No model has this name; GET /openai/v1/models lists the models.'],
    ]);
    expect((await listed()).map(({ id }) => id)).toEqual(['steady', 'old']);
    const keys = await send('/api/keys', { name: 'coming', models: ['coming'] });
    expect([keys.status, keys.detail]).toEqual([400, 'models.0 must be one of steady, old.']);
    expect((await chat('old')).dates).toEqual([null, null]);
  });

  it('lists the dates of models and the changes of their prices', async () => {
    const [steady, old] = await listed();
    const rates = { per_request: 0, input: 4, cached_input: 1, cache_write: 4, output: 16 };
    expect(steady.price_changes).toEqual([{ effective_from: first, ...rates }]);
    expect([old.deprecated_from, old.retired_from, old.replaced_by]).toEqual([first, second, 'steady']);
  });

  it('charges a call by the price of its admission, even if the price changes before its end', async () => {
    // 600 tokens at 2, 400 at 0.5 and 100 at 8 credits per million.
    expect((await chat('steady')).charged).toBe('0.0022');
    await moveTo(`${day(9)}T23:59:30Z`);
    const stream = await fetch(`${service.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}` },
      body: JSON.stringify({ model: 'steady', messages, stream: true }),
    });
    const read = stream.text();
    await expect.poll(() => finish).toBeDefined();
    await moveTo(`${first}T00:00:01Z`);
    expect((await chat('steady')).charged).toBe('0.0044');
    finish?.();
    await read;
    const history = async () => (await send('/api/credits?limit=2')).body.data;
    await expect.poll(async () => (await history()).isBehind ?? false, { timeout: 5000 }).toBe(false);
    const { entries } = await history();
    const price = (input: number, cachedInput: number, output: number) => {
      return { perRequest: 0, input, cachedInput, cacheWrite: input, output };
    };
    expect(entries.map(({ credits, price: by, tokens }: any) => [credits, by, tokens])).toEqual([
      [-0.0022, price(2, 0.5, 8), { input: 1000, cached: 400, output: 100 }],
      [-0.0044, price(4, 1, 16), { input: 1000, cached: 400, output: 100 }],
    ]);
  });

  it('adds up calls, credits and tokens by day and model', async () => {
    const { days } = (await send('/api/usage?group=model')).body.data;
    const used = (date: string, model: string, calls: number, credits: number) => {
      return { date, model, calls, credits, tokens: { input: calls * 1000, cached: calls * 400, output: calls * 100 } };
    };
    expect(days).toEqual([
      used(day(0), 'old', 1, 0.0022),
      used(day(0), 'steady', 1, 0.0022),
      used(first, 'steady', 2, 0.0066),
    ]);
  });

  it('makes a model available on its first day', async () => {
    expect((await chat('coming')).status).toBe(200);
    expect((await listed()).map(({ id }) => id)).toEqual(['steady', 'old', 'coming']);
    expect((await listed())[0].price_changes).toBeUndefined();
  });

  it.each<[where: string, path: string, body: object | undefined, status: number]>([
    ['POST /v1/chat/completions', '/v1/chat/completions', { model: 'old', messages }, 200],
    ['an alias', '/v1/chat/completions', { model: 'old-alias', messages }, 200],
    ['POST /v1/completions', '/v1/completions', { model: 'old', prompt: 'Hello' }, 502],
    ['POST /openai/v1/chat/completions', '/openai/v1/chat/completions', { model: 'old', messages }, 200],
    ['GET /openai/v1/models', '/openai/v1/models/old', undefined, 200],
    ['a refused call', '/v1/chat/completions', { model: 'old', messages, max_tokens: 8192 }, 400],
  ])('sends the dates of a deprecated model on %s', async (_, path, body, status) => {
    const sent = await send(path, body);
    expect([sent.status, sent.dates]).toEqual([status, headersOfOld]);
  });

  it('sends the dates of a deprecated model on a stream', async () => {
    const response = await fetch(`${service.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}` },
      body: JSON.stringify({ model: 'old', messages, stream: true }),
    });
    expect([response.headers.get('deprecation'), response.headers.get('sunset')]).toEqual(headersOfOld);
    finish?.();
    await response.text();
  });

  it('accepts the alias of a model by a key that is limited to the model', async () => {
    await service.signIn();
    const { key } = await service.owner(201, 'POST', '/api/keys', { name: 'old only', models: ['old'] });
    const limited = { authorization: `Bearer ${key}` };
    const statuses = [await chat('old', limited), await chat('old-alias', limited), await chat('steady', limited)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403]);
  });

  it('does not send dates for other models', async () => {
    expect((await chat('steady')).dates).toEqual([null, null]);
  });

  it('returns 404 with the replacement from the day of retirement on, and replays earlier responses', async () => {
    await moveTo(`${day(19)}T23:59:00Z`);
    const keyed = () => chat('old', { 'idempotency-key': 'once' });
    expect(await keyed()).toMatchObject({ status: 200, charged: '0.0022' });
    const agent: string = (await send('/api/agents', { name: 'Old', model: 'old' })).body.data.id;
    const conversation = (await send(`/api/agents/${agent}/conversations`, {})).body.data.id;
    const turn = () => send(`/api/agents/${agent}/conversations/${conversation}/messages`, { content: 'Hello' });
    expect(await turn()).toMatchObject({ status: 200, dates: headersOfOld });
    await moveTo(`${second}T00:00:00Z`);
    const detail = `The model old was retired on ${second}. Use steady.`;
    const refusals = [
      await chat('old'),
      await chat('old-alias'),
      await send('/openai/v1/chat/completions', { model: 'old', messages }),
      await send('/openai/v1/models/old'),
      await turn(),
      await send('/api/agents', { name: 'Another', model: 'old' }),
    ];
    expect(refusals.map((refusal) => [refusal.status, refusal.detail])).toEqual(refusals.map(() => [404, detail]));
    expect(await keyed()).toMatchObject({ status: 200, charged: '0' });
    expect(refusals[2]?.body.error.code).toBe('model_not_found');
    expect((await listed()).map(({ id }) => id)).toEqual(['steady', 'coming']);
    expect((await chat('nothing')).detail).toBe(unknown('steady or coming'));
    expect((await chat('old', { authorization: `Bearer ${service.key.slice(0, -4)}AAAA` })).status).toBe(401);
  });
});
