import assert from 'node:assert/strict';
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { answer, isText, question, sky, trip } from './cases.mjs';

const tools = {
  get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => JSON.parse(sky) }),
};
const stopWhen = stepCountIs(3);
const output = Output.object({ schema: z.object({ city: z.string(), days: z.number().int() }) });

/** Cases of a chat model of the AI SDK, with a prefix of their names. */
export const chatCases = (model, prefix = '') => ({
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

/** Cases of a completion model and an embedding model of the AI SDK. */
export const otherCases = ({ completion, embedding }) => ({
  async completion() {
    const { text } = await generateText({ model: completion, prompt: 'Once', maxOutputTokens: 8 });
    assert.equal(typeof text, 'string');
  },
  async embedding() {
    const { embeddings } = await embedMany({ model: embedding, values: ['a cat', 'a dog'] });
    assert.equal(embeddings.length, 2);
  },
});
