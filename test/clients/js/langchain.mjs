import assert from 'node:assert/strict';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { z } from 'zod';
import { apiKey, chatModel, isText, openAiUrl, question, run, sky, trip } from './cases.mjs';

const configuration = { baseURL: openAiUrl };
const chatOf = (more) => new ChatOpenAI({ model: chatModel, apiKey, configuration, ...more });
const schema = z.object({ city: z.string() });
const weather = tool(() => sky, { name: 'get_weather', description: 'The weather in a city', schema });
const Trip = z.object({ city: z.string(), days: z.number().int() });

const casesOf = (prefix, chat) => ({
  async [`${prefix}text`]() {
    isText((await chat.invoke('Hello')).text);
  },
  async [`${prefix}stream`]() {
    let text = '';
    for await (const chunk of await chat.stream('Hello')) text += chunk.text;
    isText(text);
  },
  async [`${prefix}tools`]() {
    const [call] = (await chat.bindTools([weather]).invoke(question)).tool_calls;
    assert.deepEqual([call.name, call.args], ['get_weather', { city: 'Paris' }]);
  },
  async [`${prefix}structured output`]() {
    assert.deepEqual(await chat.withStructuredOutput(Trip, { name: 'trip' }).invoke(trip), { city: 'Lisbon', days: 3 });
  },
});

await run({
  ...casesOf('chat ', chatOf({})),
  ...casesOf('responses ', chatOf({ useResponsesApi: true })),
  async embeddings() {
    const embeddings = new OpenAIEmbeddings({ model: 'svc-embed', apiKey, configuration });
    assert.equal((await embeddings.embedDocuments(['a cat', 'a dog'])).length, 2);
  },
});
