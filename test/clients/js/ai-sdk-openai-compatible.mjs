import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { chatCases, otherCases } from './ai-sdk-cases.mjs';
import { apiKey, chatModel, openAiUrl, run } from './cases.mjs';

const provider = createOpenAICompatible({
  name: 'text-ai',
  apiKey,
  baseURL: openAiUrl,
  supportsStructuredOutputs: true,
});

await run({
  ...chatCases(provider(chatModel)),
  ...otherCases({
    completion: provider.completionModel('svc-instruct'),
    embedding: provider.embeddingModel('svc-embed'),
  }),
});
