import { describe, expect, it } from 'vitest';
import { lmi, vllm } from '#gateways/sagemaker/vllm.ts';

const sampling = { temperature: 0.7, top_p: 0.9, top_k: 50, frequency_penalty: 0.5, presence_penalty: 0.25 };
const neutral = { temperature: 1, top_p: 1, top_k: 50, frequency_penalty: 0, presence_penalty: 0 };
const messages = [{ role: 'user', content: 'Hi' }];
const whole = { stream: false };
const streamed = { stream: true };

/** What goes over the wire: fields that are undefined do not. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
const chatBody = (container: typeof vllm, request: object, options: object = whole) =>
  sent(container.chat!.body({ messages, max_tokens: 9, ...request }, options as typeof whole));
const completionBody = (container: typeof vllm, request: object, options: object = whole) =>
  sent(container.completion!.body({ prompt: 'Hi', max_tokens: 9, ...request }, options as typeof whole));

describe.each([
  ['vllm', vllm],
  ['lmi', lmi],
] as const)('%s', (_, container) => {
  it('is sent OpenAI bodies with top_k, without a model, that request the usage of streams', () => {
    expect(chatBody(container, { ...sampling, stop: ['.'] })).toEqual({
      messages,
      max_tokens: 9,
      ...sampling,
      stop: ['.'],
    });
    expect(completionBody(container, neutral)).toEqual({ prompt: 'Hi', max_tokens: 9, ...neutral });
    const stream = { stream: true, stream_options: { include_usage: true } };
    expect(chatBody(container, neutral, streamed)).toEqual({ messages, max_tokens: 9, ...neutral, ...stream });
    expect(completionBody(container, neutral, streamed)).toEqual({
      prompt: 'Hi',
      max_tokens: 9,
      ...neutral,
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    });
  });

  it('is sent the name that it serves the model by, where the stage gives one', () => {
    expect(chatBody(container, {}, { stream: false, servedName: 'mine' })).toMatchObject({ model: 'mine' });
    expect(completionBody(container, {}, { stream: true, servedName: 'mine' })).toMatchObject({ model: 'mine' });
  });

  it('is sent the least top_p in place of 0, which it refuses', () => {
    expect(chatBody(container, { top_p: 0 })).toMatchObject({ top_p: 1e-6 });
  });
});
