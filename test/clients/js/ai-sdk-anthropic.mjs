import { createAnthropic } from '@ai-sdk/anthropic';
import { chatCases } from './ai-sdk-cases.mjs';
import { anthropicUrl, apiKey, chatModel, run } from './cases.mjs';

await run(chatCases(createAnthropic({ apiKey, baseURL: `${anthropicUrl}/v1` })(chatModel)));
