import assert from 'node:assert/strict';
import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai';
import { apiKey, chatModel, isText, openAiUrl, question, run, weatherSchema } from './cases.mjs';

const llm = new OpenAI({ model: chatModel, apiKey, baseURL: openAiUrl, maxTokens: 512 });
const messages = [{ role: 'user', content: 'Hello' }];

await run({
  async text() {
    isText((await llm.chat({ messages })).message.content);
  },
  async stream() {
    let text = '';
    for await (const { delta } of await llm.chat({ messages, stream: true })) text += delta;
    isText(text);
  },
  async tools() {
    const metadata = { name: 'get_weather', description: 'The weather', parameters: weatherSchema };
    const { message } = await llm
      .exec({
        messages: [{ role: 'user', content: question }],
        tools: [{ metadata, call: () => 'clear' }],
      })
      .then(({ newMessages }) => ({ message: newMessages[0] }));
    assert.equal(message.options.toolCall[0].name, 'get_weather');
  },
  async embeddings() {
    const embedding = new OpenAIEmbedding({ model: 'svc-embed', apiKey, baseURL: openAiUrl });
    assert.equal((await embedding.getTextEmbeddings(['a cat', 'a dog'])).length, 2);
  },
});
