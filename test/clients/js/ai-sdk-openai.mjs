import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { answer, apiKey, chatModel, isText, openAiUrl, question, run, sky, trip } from './cases.mjs';

const openai = createOpenAI({ apiKey, baseURL: openAiUrl });
const tools = {
  get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => JSON.parse(sky) }),
};
const stopWhen = stepCountIs(3);
const output = Output.object({ schema: z.object({ city: z.string(), days: z.number().int() }) });

/** The default model speaks Responses, `.chat` chat completions. */
const casesOf = (prefix, model) => ({
  async [`${prefix}text`]() {
    isText((await generateText({ model, prompt: 'Hello' })).text);
  },
  async [`${prefix}stream`]() {
    let text = '';
    for await (const part of streamText({ model, prompt: 'Hello', onError: () => undefined }).textStream) text += part;
    isText(text);
  },
  async [`${prefix}tools`]() {
    assert.match((await generateText({ model, prompt: question, tools, stopWhen })).text, answer);
  },
  async [`${prefix}structured output`]() {
    assert.deepEqual((await generateText({ model, prompt: trip, output })).output, { city: 'Lisbon', days: 3 });
  },
});

await run({
  ...casesOf('responses ', openai(chatModel)),
  ...casesOf('chat ', openai.chat(chatModel)),
  async completion() {
    const { text } = await generateText({
      model: openai.completion('svc-instruct'),
      prompt: 'Once',
      maxOutputTokens: 8,
    });
    assert.equal(typeof text, 'string');
  },
  async embedding() {
    const { embeddings } = await embedMany({ model: openai.embedding('svc-embed'), values: ['a cat', 'a dog'] });
    assert.equal(embeddings.length, 2);
  },
});
