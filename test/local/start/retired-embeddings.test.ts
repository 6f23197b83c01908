import { afterAll, beforeAll, expect, it, describe } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startOffered } from '#test/service/offered-service.ts';

const dayMs = 86_400_000;
const retiredFrom = new Date(Date.now() + 2 * dayMs).toISOString().slice(0, 10);

const modelOf = (id: string, more: object) => ({
  id,
  contextWindow: 8192,
  endpoints: [{ kind: 'sagemaker', endpoint: id, family: 'vllm' }],
  ...more,
});
const embedder = (id: string, more: object = {}) =>
  modelOf(id, { capabilities: ['embeddings'], dimensions: 1536, ...more });
const offerOf = (...embedders: object[]) => ({
  version: 1,
  models: [...embedders, modelOf('talk', { capabilities: ['chat'] })],
  plans: [{ name: 'free', priceUsd: 0, creditsPerMonth: 50, callsPerMinute: 600, maxConcurrentCalls: 5 }],
});

describe('documents of an agent whose embeddings model retires', () => {
  let folder: string;
  let service: Awaited<ReturnType<typeof startOffered>>;
  let path: string;
  beforeAll(async () => {
    folder = await testFolder();
  });
  afterAll(() => removeFolder(folder));

  async function start(offer: object): Promise<void> {
    service = await startOffered(offer, folder);
    const agent = await service.call('POST', '/api/agents', { name: 'A', model: 'talk' });
    path = `/api/agents/${agent.body.data.id}`;
  }

  /** Returns the model whose charge paid for the document. */
  async function add(name: string, text: string): Promise<string> {
    const charges = async () =>
      (await service.call('GET', '/api/credits')).body.data.entries.filter(
        ({ type, service }: any) => type === 'charge' && service === 'embeddings',
      );
    const before = (await charges()).length;
    const { status, body } = await service.call('POST', `${path}/documents`, { name, text });
    expect({ status, detail: body.detail }).toEqual({ status: 201, detail: undefined });
    const statusOf = async () => (await service.call('GET', `${path}/documents`)).body.data.items[0].status;
    await expect.poll(statusOf).toBe('ready');
    await expect.poll(async () => (await charges()).length).toBeGreaterThan(before);
    return (await charges())[0].model;
  }

  async function sourcesOf(content: string): Promise<string[]> {
    const { body } = await service.call('POST', `${path}/conversations`, {});
    const reply = await service.call('POST', `${path}/conversations/${body.data.id}/messages`, { content });
    expect(reply.status).toBe(200);
    return reply.body.data.sources.map(({ name }: any) => name);
  }

  it('are found by words, along with new documents of its replacement', async () => {
    await start(
      offerOf(
        embedder('soon', { availableFrom: '2099-01-01' }),
        embedder('old', { retiredFrom, replacedBy: 'new' }),
        embedder('other'),
        embedder('new'),
      ),
    );
    expect(await add('Ferries', 'Ferries leave at noon.')).toBe('old');
    expect(await sourcesOf('Ferries leave at noon.')).toEqual(['Ferries']);
    await service.advance('P3D');
    expect(await sourcesOf('Ferries leave?')).toEqual(['Ferries']);
    expect(await add('Bicycles', 'Bicycles are free.')).toBe('new');
    expect(await sourcesOf('Bicycles free?')).toEqual(['Bicycles']);
    await service.stop();
  });

  it('are found as before if it has no replacement', async () => {
    await removeFolder(folder);
    folder = await testFolder();
    await start(offerOf(embedder('old', { retiredFrom }), embedder('other')));
    expect(await add('Ferries', 'Ferries leave at noon.')).toBe('old');
    await service.advance('P3D');
    expect(await add('Bicycles', 'Bicycles are free.')).toBe('old');
    expect(await sourcesOf('Ferries leave at noon.')).toContain('Ferries');
    await service.stop();
  });
});
