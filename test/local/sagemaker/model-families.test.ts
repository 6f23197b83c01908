import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { chat, demo, read, useModelFamilies } from '#test/models/model-families.ts';

const models = useModelFamilies();

/** Every adapter against the stand-in that speaks its family's dialect, through the real client and wire protocol. */
const textFamilies = ['vllm', 'lmi', 'tgi'] as const;
const prompt = { prompt: 'Once upon a time', max_tokens: 30, temperature: 0.5, top_p: 1, top_k: 50 };

describe.each(textFamilies)('%s', (family) => {
  it('returns the same chat as the other families, whole and in chunks', async () => {
    const [reply, streamed] = [
      await models.gateway.chat(family, chat).send(),
      await read(models.gateway.chatStream(family, chat).send()),
    ];
    const { content } = (await models.gateway.chat('vllm', chat).send()).choices[0]!.message;
    expect(content).toMatch(/Zürich/);
    expect(reply.choices[0]!.message.content).toBe(content);
    expect(streamed).toMatchObject({ error: undefined, text: content });
    expect(streamed.usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
    expect(reply.usage).toMatchObject({ ...streamed.usage });
    const cut = await models.gateway.chat(family, { ...chat, max_tokens: 8 }).send();
    expect(cut.usage).toMatchObject({ completion_tokens: 8 });
  });

  it('returns the same completion as the other families, whole and in chunks, with its usage', async () => {
    const [reply, streamed] = [
      await models.gateway.completion(family, prompt).send(),
      await read(models.gateway.completionStream(family, prompt).send()),
    ];
    const { text } = (await models.gateway.completion('vllm', prompt).send()).choices[0]!;
    expect(reply.choices[0]).toMatchObject({ text, finish_reason: 'length' });
    expect(streamed).toMatchObject({ error: undefined, text, reason: 'length' });
    const usage = { prompt_tokens: 4, completion_tokens: 30 };
    expect(reply.usage).toMatchObject(usage);
    expect(streamed.usage).toMatchObject(usage);
  });

  it('sends a prepared call with the same body, and not before it is sent', async () => {
    const bodies: unknown[] = [];
    models.engine = {
      invoke(body, signal) {
        bodies.push(body);
        return demo.invoke(body, signal);
      },
    };
    const calls = () => ({
      whole: models.gateway.chat(family, chat),
      streamed: models.gateway.chatStream(family, chat),
      continued: models.gateway.completion(family, prompt),
    });
    const resultsOf = async ({ whole, streamed, continued }: ReturnType<typeof calls>) => [
      await whole.send(),
      await read(streamed.send()),
      await continued.send(),
    ];
    const prepared = calls();
    for (const call of Object.values(prepared)) call.prepare();
    await sleep(20);
    expect(bodies).toEqual([]);
    expect(await resultsOf(prepared)).toEqual(await resultsOf(calls()));
    expect(bodies.slice(0, 3)).toEqual(bodies.slice(3));
  });
});

describe.each(['vllm', 'lmi', 'tei'])('embeddings of %s', (family) => {
  const input = Array.from({ length: 70 }, (_, index) => `text number ${index}`);

  it('are the vectors of the texts, in their order', async () => {
    const { data, usage } = await models.gateway.embed(family, { input });
    const expected = (await models.gateway.embed('vllm', { input })).data;
    expect(data).toEqual(expected);
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
    expect(usage).toEqual(family === 'vllm' ? { prompt_tokens: 210 } : null);
  });

  it('have the requested dimensions, or the call is refused', async () => {
    const embedded = models.gateway.embed(family, { input: ['a'], dimensions: 8 });
    if (family === 'lmi')
      await expect(embedded).rejects.toMatchObject({ code: 'INVALID_FORMAT', message: /^dimensions/ });
    else expect((await embedded).data[0]!.embedding).toHaveLength(8);
  });
});
