import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import OpenAI from 'openai';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tokenPrice } from '#test/meter/token-price.ts';
import { useScriptedService } from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: { 'svc-embed': 'vllm' }, deadlineMs: 20_000 });
const path = '/openai/v1/embeddings';

let client: OpenAI;
beforeAll(() => {
  client = new OpenAI({ apiKey: service.person.key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
});

/** The requests to the model, in the order of their arrival. */
let parts: string[][] = [];
beforeEach(() => {
  parts = [];
});

/** A model that embeds a text as its number, and reports this usage for each part. */
function counts(usageOf: (texts: readonly string[]) => object | undefined): void {
  service.model.becomes({
    async invoke(body) {
      const { input } = body as { input: string[] };
      parts.push(input);
      const data = input.map((text, index) => ({ index, embedding: [Number(text.replace(/\D/g, '')), 1] }));
      return { kind: 'json', status: 200, body: { data, usage: usageOf(input) } };
    },
  });
}
const threeEach = (texts: readonly string[]) => ({ prompt_tokens: 3 * texts.length });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

describe('texts to embed', () => {
  it.each([1, 99, 100, 101, 2048])('are sent in parts of 100 and charged as one call: %i', async (count) => {
    counts(threeEach);
    let reply: OpenAI.CreateEmbeddingResponse | undefined;
    const cost = await service.charged(async () => {
      reply = await client.embeddings.create({ model: 'svc-embed', input: numbered(count) });
    });
    expect(reply?.data.map(({ index, embedding: [number] }) => [index, number])).toEqual(
      numbered(count).map((_, index) => [index, index]),
    );
    expect(parts.length).toBe(Math.ceil(count / 100));
    expect(parts.flat().toSorted()).toEqual(numbered(count).toSorted());
    expect(reply?.usage).toEqual({ prompt_tokens: 3 * count, total_tokens: 3 * count });
    expect(cost).toBe(tokenPrice('embeddings', 3 * count));
  });

  it('are counted by the service if a part has no usage', async () => {
    let part = 0;
    counts((texts) => ((part += 1) === 2 ? undefined : threeEach(texts)));
    const { usage } = await client.embeddings.create({ model: 'svc-embed', input: numbered(300) });
    const own = numbered(300).reduce((sum, text) => sum + encode(text).length, 0);
    expect(usage.prompt_tokens).toBe(own);
  });

  it('fail together without a charge, and no further part is sent', async () => {
    service.model.becomes({
      async invoke(body) {
        parts.push((body as { input: string[] }).input);
        return { kind: 'json', status: 500, body: { error: 'broken' } };
      },
    });
    const { status, cost } = await service.priced(path, { model: 'svc-embed', input: numbered(2048) });
    expect([status, cost]).toEqual([502, 0]);
    expect(parts.length).toBeLessThanOrEqual(8);
  });

  it('are limited to 100 on /v1', async () => {
    counts(threeEach);
    const { status, text } = await service.priced('/v1/embeddings', { model: 'svc-embed', input: numbered(101) });
    expect([status, text]).toEqual([400, expect.stringContaining('at most 100 texts')]);
    expect(parts).toEqual([]);
  });
});

it.each<[string, unknown, string]>([
  ['2,049 texts', Array(2049).fill('a'), 'input must have at most 2048 texts'],
  ['2,049 texts as token ids', Array.from({ length: 2049 }, () => [1]), 'input must have at most 2048 texts'],
  // The longest token: 128 spaces.
  [
    'token ids for 6 MB of text',
    Array.from({ length: 6 }, () => Array(8192).fill(58_040)),
    'at most 5242880 bytes of text',
  ],
])('refuses %s by name, before the model is called', async (_, input, rule) => {
  counts(threeEach);
  const { status, text, cost } = await service.priced(path, { model: 'svc-embed', input });
  expect([status, cost, parts.length]).toEqual([400, 0, 0]);
  expect(JSON.parse(text).error).toMatchObject({ param: 'input', message: expect.stringContaining(rule) });
});

describe('token ids to embed', () => {
  const texts = ['Grüße aus 日本, 👩‍💻!', 'plain words', ' a  wide   gap', '\n\n\t'];

  it.each<[string, number[] | number[][], string[]]>([
    ['a text', encode(texts[0]!), [texts[0]!]],
    ['a list of one', [encode(texts[0]!)], [texts[0]!]],
    ['several', texts.map((text) => encode(text)), texts],
    ['a text cut within a character', encode('👩‍💻').slice(0, 1), ['\ufffd']],
  ])('are decoded by cl100k_base: %s', async (_, input, sent) => {
    counts(threeEach);
    const { data } = await client.embeddings.create({ model: 'svc-embed', input });
    expect(data.length).toBe(sent.length);
    expect(parts).toEqual([sent]);
  });

  it('are limited to 8,192 for each text', async () => {
    counts(threeEach);
    const word = encode(' word');
    const of = (count: number) => Array.from({ length: count }, () => word).flat();
    expect((await service.priced(path, { model: 'svc-embed', input: of(8192) })).status).toBe(200);
    const { status, text } = await service.priced(path, { model: 'svc-embed', input: [word, of(8193)] });
    expect([status, text]).toEqual([400, expect.stringContaining('context_length_exceeded: svc-embed accepts 8192')]);
  });
});
