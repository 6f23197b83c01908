import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embed, embedMany, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();
let key: string;
beforeAll(async () => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  ({ key } = await service.person({ planRank: 4 }));
});

const provider = (apiKey = key) =>
  createOpenAICompatible({
    name: 'platform',
    apiKey,
    baseURL: `${service.origin}/openai/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
const plain = { maxRetries: 0 };
const svc1 = () => ({ ...plain, model: provider()('svc-1') });
const place = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
});
const tools = {
  get_weather: tool({
    description: 'The weather in a city',
    inputSchema: place,
    execute: async ({ city }) => ({ city, sky: 'clear' }),
  }),
};

describe('the AI SDK', () => {
  it('generates text and counts its tokens', async () => {
    const { text, finishReason, usage } = await generateText({ ...svc1(), system: 'Be brief', prompt: 'Hello' });
    expect(text).toMatch(/demo engine/);
    expect(finishReason).toBe('stop');
    expect(usage.outputTokens).toBeGreaterThan(10);
  });

  it('streams text with its usage', async () => {
    const options = { ...svc1(), prompt: 'Tell me of rivers' };
    const streamed = streamText(options);
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    const whole = await generateText(options);
    expect(text).toBe(whole.text);
    expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
  });

  it.each(['whole', 'streamed'])('runs tools and responds with their results, %s', async (how) => {
    const options = { ...svc1(), prompt: 'What is the weather in Paris?', tools, stopWhen: stepCountIs(3) };
    const { steps, text } = how === 'whole' ? await generateText(options) : streamText(options);
    expect((await steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect((await steps)[0]?.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Paris' } }]);
    expect(await text).toContain('city is Paris, sky is clear');
  });

  it('generates objects by a schema', async () => {
    const schema = jsonSchema<{ city: string; days: number }>({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    });
    const prompt = 'A trip to Lisbon for 3 days';
    const { output } = await generateText({ ...svc1(), output: Output.object({ schema }), prompt });
    expect(output).toEqual({ city: 'Lisbon', days: 3 });
  });

  it('completes a prompt', async () => {
    const model = provider().completionModel('svc-instruct');
    const { text } = await generateText({ ...plain, model, prompt: 'Once upon a time', maxOutputTokens: 12 });
    expect(text).not.toBe('');
  });

  it('embeds one text and many', async () => {
    const model = provider().embeddingModel('svc-embed');
    const one = await embed({ ...plain, model, value: 'a cat' });
    const many = await embedMany({ ...plain, model, values: ['a dog', 'a cat'] });
    expect(one.embedding).toHaveLength(1536);
    expect(many.embeddings[1]).toEqual(one.embedding);
    expect(one.usage.tokens).toBeGreaterThan(0);
  });

  it('reports errors with their status and message', async () => {
    const failed = await generateText({ ...plain, model: provider('junk')('svc-1'), prompt: 'Hello' }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(APICallError);
    expect(failed).toMatchObject({ statusCode: 401, isRetryable: false, message: expect.stringMatching(/key/i) });
  });

  it('reports an interrupted stream', async () => {
    await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    const { textStream } = streamText({ ...svc1(), prompt: 'A long story', onError });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).not.toBe('');
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toMatch(/model/);
  });
});
