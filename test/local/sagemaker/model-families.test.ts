import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ModelChatRequest } from '#domain/inference/chat.ts';
import { containerError } from '#local/sagemaker/engine.ts';
import { chat, demo, read, streaming, useModelFamilies } from '#test/models/model-families.ts';

const models = useModelFamilies();

/** Every adapter against the stand-in that speaks its family's dialect, through the real client and wire protocol. */
const textFamilies = ['vllm', 'lmi', 'tgi'] as const;
const prompt = { prompt: 'Once upon a time', max_tokens: 30, temperature: 0.5, top_p: 1, top_k: 50 };

const overflow =
  "This model's maximum context length is 4096 tokens. However, you requested 5021 tokens (4509 in the messages, 512 in the completion).";

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

  it('ends a stream at its finish reason even if the model then hangs', async () => {
    let ended = Promise.resolve();
    models.engine = {
      async invoke(body, signal) {
        const { promise, resolve } = Promise.withResolvers<void>();
        ended = promise;
        signal.addEventListener('abort', () => resolve());
        const isChat = 'messages' in (body as object);
        const choice = isChat ? { delta: { content: 'Hi' } } : { text: 'Hi' };
        async function* chunks() {
          yield Buffer.from(`data: ${JSON.stringify({ choices: [{ ...choice, finish_reason: null }] })}\n\n`);
          const end = isChat ? { delta: {} } : { text: '' };
          yield Buffer.from(`data: ${JSON.stringify({ choices: [{ ...end, finish_reason: 'stop' }] })}\n\n`);
          await promise;
        }
        return { kind: 'stream', contentType: 'text/event-stream', chunks: chunks() };
      },
    };
    const before = performance.now();
    const streams = [models.gateway.chatStream(family, chat), models.gateway.completionStream(family, prompt)];
    for (const stream of streams) {
      expect(await read(stream.send())).toMatchObject({ error: undefined, text: 'Hi', reason: expect.any(String) });
      await ended;
    }
    expect(performance.now() - before).toBeLessThan(10_000);
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

  it('calls the chosen function, whole and in chunks', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const request: ModelChatRequest = {
      ...chat,
      tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    };
    const called = (await models.gateway.chat(family, request).send()).choices[0]!.message.tool_calls!;
    expect(called.map((call) => call.function.name)).toEqual(['get_weather']);
    expect(JSON.parse(called[0]!.function.arguments)).toEqual({ city: expect.any(String) });
    const { calls, error } = await read(models.gateway.chatStream(family, request).send());
    expect(error).toBeUndefined();
    expect(calls.map((call) => call.name ?? '').join('')).toBe('get_weather');
    expect(calls.map((call) => call.arguments ?? '').join('')).toBe(called[0]!.function.arguments);
  });

  it('is cut at a stop sequence, whole and in chunks', async () => {
    const full = (await models.gateway.chat(family, chat).send()).choices[0]!.message.content!;
    const stop = [full.slice(20, 27)];
    const expected = full.slice(0, full.indexOf(stop[0]!));
    const stopped = (await models.gateway.chat(family, { ...chat, stop }).send()).choices[0]!;
    expect([stopped.message.content, stopped.finish_reason]).toEqual([expected, expect.stringMatching(/^stop/)]);
    const streamed = await read(models.gateway.chatStream(family, { ...chat, stop }).send());
    expect(streamed).toMatchObject({ error: undefined, text: expected, reason: expect.stringMatching(/^stop/) });
    const continued = (await models.gateway.completion(family, prompt).send()).choices[0]!.text;
    const { text } = (await models.gateway.completion(family, { ...prompt, stop: [continued.slice(9, 14)] }).send())
      .choices[0]!;
    expect(text).toBe(continued.slice(0, 9));
  });

  it.each([
    [
      'a request beyond the context',
      containerError(400, overflow),
      'CONTEXT_LENGTH_EXCEEDED',
      /^context_length_exceeded: .*4096.*5021/,
    ],
    ['a request against its rules', containerError(400, 'top_k must be an integer'), 'INVALID_FORMAT', /rejected/],
    ['too many requests', containerError(429, 'busy'), 'SERVICE_UNAVAILABLE', /busy/],
    ['a failure', containerError(500, 'CUDA out of memory'), 'MODEL_ERROR', /failed/],
  ] as const)('reports %s instead of the reply or the stream', async (_, reply, code, message) => {
    models.engine = { invoke: async () => reply };
    const failure = { code, message: expect.stringMatching(message) };
    await expect(models.gateway.chat(family, chat).send()).rejects.toMatchObject(failure);
    await expect(models.gateway.completion(family, prompt).send()).rejects.toMatchObject(failure);
    expect((await read(models.gateway.chatStream(family, chat).send())).error).toMatchObject(failure);
    expect((await read(models.gateway.completionStream(family, prompt).send())).error).toMatchObject(failure);
  });

  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const piece = event({ choices: [{ delta: { content: 'Hello' }, finish_reason: null }] });
  it.each<readonly [string, readonly (string | Error)[]]>([
    ['contains an error', [piece, event({ error: { message: 'CUDA', code: 500 } }), 'data: [DONE]\n\n']],
    ['breaks its connection', [piece, new Error('broken')]],
    ['ends without a reason', [piece]],
    // TGI has no such reason.
    ...(family === 'tgi'
      ? []
      : [['ends with an error as its reason', [piece, event({ choices: [{ finish_reason: 'abort' }] })]] as const]),
  ])('fails after the output so far if its stream %s', async (_, events) => {
    models.engine = streaming(events);
    const { text, error } = await read(models.gateway.chatStream(family, chat).send());
    expect([text, error]).toEqual(['Hello', expect.objectContaining({ code: 'MODEL_ERROR' })]);
  });
});

// Last: of batches that are requested concurrently, some are still on their way when one has failed.
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

  it.each([
    [containerError(400, overflow), 'CONTEXT_LENGTH_EXCEEDED'],
    [containerError(429, 'busy'), 'SERVICE_UNAVAILABLE'],
    [containerError(500, 'CUDA'), 'MODEL_ERROR'],
  ])("fail with the code of the model's error", async (reply, code) => {
    models.engine = { invoke: async () => reply };
    await expect(models.gateway.embed(family, { input })).rejects.toMatchObject({ code });
  });
});
