import { rm } from 'node:fs/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testFolder } from '#test/folder.ts';
import { exampleOffer, startOffered } from '#test/service/offered-service.ts';

const slashed = 'meta-models/scout:17b';

describe('GET /openai/v1/models/{model}', () => {
  let folder: string;
  let service: Awaited<ReturnType<typeof startOffered>>;
  let client: OpenAI;

  beforeAll(async () => {
    folder = await testFolder();
    const offer = await exampleOffer();
    offer.models[1] = { ...offer.models[1], id: slashed, aliases: ['scout', 'old/scout.v1'] };
    offer.uses = { translation: slashed, analysis: slashed };
    service = await startOffered(offer, folder);
    client = new OpenAI({ apiKey: service.key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([slashed, 'scout', 'old/scout.v1'])('returns the model by its id and its aliases: %s', async (name) => {
    expect(await client.models.retrieve(name)).toMatchObject({ id: slashed, object: 'model' });
  });

  it('returns every model that the list contains, by its listed id', async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toContain(slashed);
    for (const id of ids) expect(await client.models.retrieve(id)).toMatchObject({ id });
  });

  it.each([
    ['encoded where it need not be', '%6d%65ta-models%2Fscout%3A17b', 200],
    ['encoded in lower case', 'meta-models%2fscout%3a17b', 200],
    ['with a plain colon', 'meta-models%2Fscout:17b', 200],
    ['encoded twice', 'meta-models%252Fscout%253A17b', 404],
    ['with an encoded NUL', 'scout%00', 404],
    ['of another vendor', 'gpt-4', 404],
    ['of 65 characters', 'a'.repeat(65), 400],
  ])('returns the expected status for an id %s', async (_, path, status) => {
    const { status: returned, body } = await service.call('GET', `/openai/v1/models/${path}`);
    expect([returned, body.id ?? body.error.param]).toEqual([status, status === 200 ? slashed : 'model']);
  });

  it('returns 404 for an id with an unencoded slash', async () => {
    const { status, body } = await service.call('GET', `/openai/v1/models/${slashed}`);
    expect([status, body.error.code]).toEqual([404, 'unknown_url']);
  });
});
