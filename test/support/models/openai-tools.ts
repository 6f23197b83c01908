import * as v from 'valibot';
import { OpenAiChatRequest } from '#contract/inference/openai.ts';

export const weather = { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } };
export const time = { name: 'get_time' };
export const tools = [
  { type: 'function', function: { ...weather, strict: true } },
  { type: 'function', function: time },
];
export const user = { role: 'user', content: 'Hi' };

export const call = (id: string, name = 'get_weather', text = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

/** A request for a chat completion with these fields. */
export const parsed = (body: object) => v.parse(OpenAiChatRequest, { model: 'svc-1', messages: [user], ...body });
