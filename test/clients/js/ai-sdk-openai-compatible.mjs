import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { answer, apiKey, chatModel, isText, openAiUrl, question, run, sky, trip } from './cases.mjs';

const provider = createOpenAICompatible({
  name: 'text-ai',
  apiKey,
  baseURL: openAiUrl,
  supportsStructuredOutputs: true,
});
const model = provider(chatModel);

await run({
  async text() {
    isText((await generateText({ model, prompt: 'Hello' })).text);
  },
  async stream() {
    let text = '';
    for await (const part of streamText({ model, prompt: 'Hello' }).textStream) text += part;
    isText(text);
  },
  async tools() {
    const get_weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async () => JSON.parse(sky),
    });
    const { text } = await generateText({ model, prompt: question, tools: { get_weather }, stopWhen: stepCountIs(3) });
    assert.match(text, answer);
  },
  async 'structured output'() {
    const output = Output.object({ schema: z.object({ city: z.string(), days: z.number().int() }) });
    assert.deepEqual((await generateText({ model, prompt: trip, output })).output, { city: 'Lisbon', days: 3 });
  },
  async completion() {
    const instruct = provider.completionModel('svc-instruct');
    assert.equal(typeof (await generateText({ model: instruct, prompt: 'Once', maxOutputTokens: 8 })).text, 'string');
  },
  async embedding() {
    const { embeddings } = await embedMany({ model: provider.embeddingModel('svc-embed'), values: ['a cat', 'a dog'] });
    assert.equal(embeddings.length, 2);
  },
});
