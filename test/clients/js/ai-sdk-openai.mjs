import { createOpenAI } from '@ai-sdk/openai';
import { chatCases, otherCases } from './ai-sdk-cases.mjs';
import { apiKey, chatModel, openAiUrl, run } from './cases.mjs';

const openai = createOpenAI({ apiKey, baseURL: openAiUrl });

/** The default model speaks Responses, `.chat` chat completions. */
await run({
  ...chatCases(openai(chatModel), 'responses '),
  ...chatCases(openai.chat(chatModel), 'chat '),
  ...otherCases({ completion: openai.completion('svc-instruct'), embedding: openai.embedding('svc-embed') }),
});
