import { describe, expect, it } from 'vitest';
import { type EngineReply } from '#local/sagemaker/engine.ts';
import { indexingPartition, indexPartition } from '#repositories/agents/agent-items.ts';
import { services } from '#runtime/services/container.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { rowsOf } from '#test/database/rows.ts';
import { patience } from '#test/many.ts';
import { tokenPrice } from '#test/meter/token-price.ts';
import { useScriptedService } from '#test/service/scripted-service.ts';
import { code } from '#test/service/service.ts';

const service = useScriptedService({ families: {}, deadlineMs: 20_000 });

const text = 'Bicycles are free for guests. '.repeat(40);

/** Behavior of the embeddings model: replies immediately, or waits until released. */
function embeddings(behavior: 'replies' | 'waits') {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  async function invoke(body: unknown): Promise<EngineReply> {
    calls += 1;
    if (behavior === 'waits') await released;
    const input = [(body as { input: string | string[] }).input].flat();
    const data = input.map((_, index) => ({ object: 'embedding', index, embedding: Array(1536).fill(1 + index) }));
    const usage = { prompt_tokens: 7 * input.length, total_tokens: 7 * input.length };
    return { kind: 'json', status: 200, body: { object: 'list', model: 'm', data, usage } };
  }
  service.model.becomes({ invoke });
  return { release, calls: () => calls };
}

const ownerOf = () => agentOwner(service.calls);
type Owner = Awaited<ReturnType<typeof ownerOf>>;
const spendable = async ({ id }: Owner) => (await services().metering().current(id, services().clock.now())).spendable;
const add = (owner: Owner, document: object = { name: 'Handbook', text }) =>
  owner.call('POST', `${owner.path}/documents`, document);
/** Keys of the texts, vectors and open indexings of an agent. */
const restOf = async ({ agent }: Owner) =>
  (await rowsOf('agents'))
    .filter(({ pk, agentId }) => pk === indexPartition(agent.id) || (pk === indexingPartition && agentId === agent.id))
    .map(({ pk, sk }) => `${String(pk)} ${String(sk)}`);

describe('POST /api/agents/{id}/documents', () => {
  it("returns 201 before the document is indexed, and charges the model's token count once it is ready", async () => {
    const model = embeddings('waits');
    const owner = await ownerOf();
    const before = await spendable(owner);
    const made = await add(owner);
    expect(code(made)).toBe('201 SUCCESS');
    const bytes = Buffer.byteLength(text);
    expect(made.body.data).toMatchObject({
      status: 'indexing',
      chunks: 2,
      indexedChunks: 0,
      bytes,
      usage: { total_tokens: 0 },
    });
    const reserved = before - (await spendable(owner));
    expect(made.body.data.credits * 1_000_000).toBe(reserved);
    expect(await owner.documents()).toMatchObject([{ status: 'indexing' }]);
    model.release();
    const document = await owner.indexed(made.body.data.id);
    expect(document).toMatchObject({ status: 'ready', indexedChunks: 2, usage: { prompt_tokens: 14 } });
    expect(before - (await spendable(owner))).toBe(document.credits * 1_000_000);
    expect(document.credits * 1_000_000).toBeLessThan(reserved);
  });

  it('returns 402 to an account without credits, before it stores anything', async () => {
    const { calls } = embeddings('replies');
    const poor = await service.calls.person({ planRank: 4, credits: 0 });
    const owner = await agentOwner(service.calls, {}, poor);
    const before = await rowsOf('agents');
    expect(code(await add(owner))).toBe('402 INSUFFICIENT_CREDITS');
    expect([await rowsOf('agents'), calls()]).toEqual([before, 0]);
  });

  it('reserves all remaining credits if they cover the tokens of the text but not its bytes', async () => {
    embeddings('replies');
    const bound = Buffer.byteLength(text) * 100;
    const poor = await service.calls.person({ planRank: 4, credits: bound / 2 / 1_000_000 });
    const owner = await agentOwner(service.calls, {}, poor);
    const made = await add(owner);
    expect(code(made)).toBe('201 SUCCESS');
    expect(made.body.data.credits * 1_000_000).toBeLessThanOrEqual(bound / 2);
    expect(await owner.indexed(made.body.data.id)).toMatchObject({ status: 'ready' });
  });

  it.each([
    ['the document', (owner: Owner, id: string) => owner.call('DELETE', `${owner.path}/documents/${id}`)],
    ['its agent', (owner: Owner) => owner.call('DELETE', owner.path)],
  ])('charges only the embedded chunks, and deletes the text, if %s is deleted during indexing', async (_, remove) => {
    const model = embeddings('waits');
    const owner = await ownerOf();
    const before = await spendable(owner);
    const made = await add(owner);
    await expect.poll(model.calls, { timeout: patience }).toBe(1);
    expect(code(await remove(owner, made.body.data.id))).toBe('200 SUCCESS');
    model.release();
    await expect.poll(() => spendable(owner), { timeout: patience }).toBe(before - tokenPrice('embeddings', 14));
    await expect.poll(() => restOf(owner), { timeout: patience }).toEqual([]);
  });
});
