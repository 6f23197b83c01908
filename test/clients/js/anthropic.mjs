import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { z } from 'zod';
import { anthropicUrl, answer, apiKey, chatModel, isText, question, run, sky } from './cases.mjs';

const client = new Anthropic({ apiKey, baseURL: anthropicUrl });
const body = { model: chatModel, max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] };

await run({
  async messages() {
    isText((await client.messages.create(body)).content[0].text);
  },
  async stream() {
    const stream = client.messages.stream(body);
    let text = '';
    stream.on('text', (delta) => (text += delta));
    const message = await stream.finalMessage();
    isText(text);
    assert.ok(message.usage.input_tokens > 0);
  },
  async tools() {
    const inputSchema = z.object({ city: z.string() });
    const weather = betaZodTool({ name: 'get_weather', description: 'The weather', inputSchema, run: () => sky });
    const final = await client.beta.messages.toolRunner({
      ...body,
      messages: [{ role: 'user', content: question }],
      tools: [weather],
    });
    assert.match(final.content.find(({ type }) => type === 'text').text, answer);
  },
  async 'count tokens'() {
    const { model, messages } = body;
    assert.ok((await client.messages.countTokens({ model, messages })).input_tokens > 0);
  },
  async 'bearer token'() {
    const bearer = new Anthropic({ apiKey: null, authToken: apiKey, baseURL: anthropicUrl });
    isText((await bearer.messages.create(body)).content[0].text);
  },
});
