import assert from 'node:assert/strict';
import { Agent, run as runAgent, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import { OpenAI } from 'openai';
import { z } from 'zod';
import { answer, apiKey, chatModel, isText, openAiUrl, question, run, sky, trip } from './cases.mjs';

setDefaultOpenAIClient(new OpenAI({ apiKey, baseURL: openAiUrl }));
setTracingDisabled(true);
const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: async () => sky,
});
const agentOf = (more = {}) => new Agent({ name: 'Guide', instructions: 'Reply briefly.', model: chatModel, ...more });

const casesOf = (api, prefix) => {
  const prepared = (work) => async () => {
    setOpenAIAPI(api);
    await work();
  };
  return {
    [`${prefix}text`]: prepared(async () => isText((await runAgent(agentOf(), 'Hello')).finalOutput)),
    [`${prefix}stream`]: prepared(async () => {
      const result = await runAgent(agentOf(), 'Hello', { stream: true });
      let text = '';
      for await (const part of result.toTextStream()) text += part;
      await result.completed;
      isText(text);
    }),
    [`${prefix}tools`]: prepared(async () => {
      assert.match((await runAgent(agentOf({ tools: [weather] }), question)).finalOutput, answer);
    }),
    [`${prefix}structured output`]: prepared(async () => {
      const outputType = z.object({ city: z.string(), days: z.number().int() });
      assert.deepEqual((await runAgent(agentOf({ outputType }), trip)).finalOutput, { city: 'Lisbon', days: 3 });
    }),
  };
};

await run({ ...casesOf('responses', 'responses '), ...casesOf('chat_completions', 'chat ') });
