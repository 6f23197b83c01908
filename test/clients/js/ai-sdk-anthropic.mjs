import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { anthropicUrl, answer, apiKey, chatModel, isText, question, run, sky, trip } from './cases.mjs';

const model = createAnthropic({ apiKey, baseURL: `${anthropicUrl}/v1` })(chatModel);

await run({
  async text() {
    isText((await generateText({ model, prompt: 'Hello' })).text);
  },
  async stream() {
    let text = '';
    for await (const part of streamText({ model, prompt: 'Hello', onError: () => undefined }).textStream) text += part;
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
});
