import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadOffer } from '#lib/offer.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { runCommand } from '#test/run-command.ts';
import { exampleOffer, startOffered } from '#test/service/offered-service.ts';

describe('npm start with a faulty offer', () => {
  it('prints line and field of each fault, and exits with 2 before it listens', async () => {
    const folder = await testFolder();
    const file = join(folder, 'offer.json');
    await writeFile(file, '{\n  "version": 1,\n  "services": { "chat": -1 },\n  "colour": "red"\n}\n');
    const { status, out, err } = await runCommand('bin/local.ts', ['--offer', file, '--data', folder], {});
    expect([status, out]).toEqual([2, '']);
    expect(err.split('\n')).toEqual([
      `${file}:3: services.chat must be an amount of credits of at least 0, with at most 6 decimals.`,
      `${file}:4: colour is not a field of an offer.`,
      '',
    ]);
    await removeFolder(folder);
  });
});

describe('node bin/offer.ts check', () => {
  it.each([
    ['of the offer', 'open-models', 0.5, 0.25],
    ['of the default offer', 'bedrock', 10, 5],
  ])('prints the prices of translation and analysis: those %s', async (_, name, translation, analysis) => {
    const { status, out } = await runCommand('bin/offer.ts', ['check', `examples/offers/${name}.json`], {});
    expect([status, out.split('\n')]).toEqual([
      0,
      expect.arrayContaining([
        `  translation: ${translation} credits per started 100 words`,
        `  analysis: ${analysis} credits per request`,
      ]),
    ]);
  });
});

describe('an offer file', () => {
  const model = {
    capabilities: ['chat'],
    contextWindow: 1000,
    endpoints: [{ kind: 'sagemaker', endpoint: 'a', family: 'vllm' }],
  };
  const models = Array.from({ length: 200 }, (_, n) => ({ ...model, id: `m-${n}`, description: 'd'.repeat(400) }));

  it.each([
    [
      'above the maximum size with its defaults',
      JSON.stringify({ version: 1, models }),
      ' has more than 122880 bytes with its logo and defaults.',
    ],
    [
      'with a reference',
      '{"version": 1, "packs": &a [], "plans": *a}',
      ': every value must be written out, without references such as *name.',
    ],
    ['with a field twice', '{\n"version": 1,\n"version": 2}', ':3: an object has two fields of this name.'],
    [
      'without an end',
      '{"version": 1,\n"packs": [',
      ':2: the text is not valid JSON; check brackets, quotation marks and commas.',
    ],
    ['with two offers', 'version: 1\n---\nversion: 2', ':2: the file must contain one offer only.'],
  ])('%s is refused in one sentence', async (_, text, reason) => {
    const folder = await testFolder();
    const file = join(folder, 'offer.json');
    await writeFile(file, text);
    expect(() => loadOffer(file, { isLocal: false })).toThrow(`${file}${reason}`);
    await removeFolder(folder);
  });
});

describe('a service with an offer of open models', () => {
  const requests: { authorization: string | undefined; body: unknown }[] = [];
  let usage: object | undefined = {
    prompt_tokens: 1000,
    completion_tokens: 100,
    prompt_tokens_details: { cached_tokens: 400 },
  };
  let models: Server;
  let folder: string;
  let service: Awaited<ReturnType<typeof startOffered>>;

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    requests.push({ authorization: req.headers.authorization, body: await json(req) });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
  }

  beforeAll(async () => {
    models = createServer((req, res) => void respond(req, res)).listen(0, '127.0.0.1');
    await once(models, 'listening');
    const url = `http://127.0.0.1:${(models.address() as AddressInfo).port}/v1`;
    folder = await testFolder();
    const example = JSON.stringify(await exampleOffer());
    const own = example.replaceAll('https://models.acme.example/v1', url).replaceAll('acme-small', 'acme/tiny-1.0');
    service = await startOffered(JSON.parse(own), folder, { env: { ACME_MODELS: 'model-secret' } });
  });

  afterAll(async () => {
    await service.stop();
    models.close();
    await removeFolder(folder);
  });

  async function chat(body: object, path = '/v1/chat/completions') {
    const response = await fetch(`${service.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}` },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
    });
    const { data, error, detail = error?.message }: any = await response.json();
    return { status: response.status, charged: response.headers.get('x-credits-charged'), data, detail };
  }

  it('charges input, cached input and output at their rates, and calls the model with its secret', async () => {
    const { status, charged, data } = await chat({ model: 'acme' });
    // 600 tokens at 2, 400 at 0.5 and 100 at 8 credits per million.
    expect([status, charged, data.model]).toEqual([200, '0.0022', 'acme-large']);
    expect(requests.at(-1)).toMatchObject({ authorization: 'Bearer model-secret', body: { model: 'large' } });
  });

  it('lists the prices of its services with their decimals', async () => {
    const response = await fetch(`${service.origin}/api/services`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { data }: any = await response.json();
    expect([response.status, data?.services]).toEqual([
      200,
      expect.arrayContaining([
        expect.objectContaining({ name: 'translation', credits: 0.5 }),
        expect.objectContaining({ name: 'text_analysis', credits: 0.25 }),
      ]),
    ]);
  });

  it.each<[what: string, usage: object | undefined]>([
    ['a negative count', { prompt_tokens: -5, completion_tokens: 1 }],
    [
      'more cached tokens than input',
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 11 } },
    ],
    ['more output than allowed', { prompt_tokens: 10, completion_tokens: 65 }],
    ['no count', undefined],
  ])('charges by its own count if the model reports %s', async (_, report) => {
    usage = report;
    const { status, charged } = await chat({ model: 'acme-large', max_tokens: 64 });
    const credits = Number(charged);
    expect([status, credits > 0, credits < 0.0002]).toEqual([200, true, true]);
  });

  it('counts the tools as input if the model reports no usage', async () => {
    usage = undefined;
    const parameters = { type: 'object', properties: { city: { type: 'string', description: 'x '.repeat(500) } } };
    const functions = [{ name: 'weather', description: 'Weather of a city', parameters }];
    const [bare, offering] = [await chat({ model: 'acme-large' }), await chat({ model: 'acme-large', functions })];
    expect(Number(offering.charged) - Number(bare.charged)).toBeGreaterThan(500 * 0.000_002);
  });

  it.each([
    ['/v1/chat/completions', {}],
    ['/v1/completions', { prompt: 'Hello' }],
  ])('refuses a request for more output than the model allows at %s', async (path, input) => {
    const { status, detail } = await chat({ model: 'acme-large', max_tokens: 32_769, ...input }, path);
    expect([status, detail]).toEqual([400, 'max_tokens must be at most 32768 for acme-large.']);
  });

  it('calls a model whose id is no valid name of a SageMaker endpoint', async () => {
    expect((await chat({ model: 'acme/tiny-1.0' })).status).toBe(200);
  });

  it('refuses the models of the specification', async () => {
    const { status, detail } = await chat({ model: 'svc-1' });
    expect([status, detail]).toEqual([400, 'model must name a model for chat: acme-large or acme/tiny-1.0.']);
  });

  it('reports a capability that no model of the offer has', async () => {
    const { status, detail } = await chat(
      { model: 'svc-speech', input: 'Hello', voice: 'alloy' },
      '/openai/v1/audio/speech',
    );
    expect([status, detail]).toEqual([400, 'No model of this service supports speech.']);
  });
});
