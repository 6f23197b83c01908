import { describe, expect, it } from 'vitest';
import { tgi } from '#gateways/sagemaker/tgi.ts';
import { vllm } from '#gateways/sagemaker/vllm.ts';

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

describe('tgi', () => {
  it('is sent chats in OpenAI form, without what it has not or means otherwise', () => {
    expect(chatBody(tgi, { ...sampling, stop: ['.'] })).toEqual({
      messages,
      max_tokens: 9,
      temperature: 0.7,
      top_p: 0.9,
      frequency_penalty: 0.5,
      stop: ['.'],
    });
    expect(chatBody(tgi, neutral, streamed)).toEqual({
      messages,
      max_tokens: 9,
      temperature: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('is sent calls and results without empty content, and a chosen function by its name', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const earlier = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '21' },
    ];
    expect(
      chatBody(tgi, { messages: earlier, tools, tool_choice: { type: 'function', function: { name: 'f' } } }),
    ).toEqual({
      messages: [
        { role: 'assistant', tool_calls: [call] },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '21' },
      ],
      max_tokens: 9,
      tools,
      tool_choice: 'f',
    });
    expect(chatBody(tgi, { tools, tool_choice: 'auto' })).toMatchObject({ tool_choice: 'auto' });
    expect(chatBody(tgi, { tool_choice: 'auto' })).not.toHaveProperty('tool_choice');
  });

  it('is sent the JSON schema of a response in its own words', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const request = { response_format: { type: 'json_schema', json_schema: { name: 'place', schema } } };
    expect(chatBody(tgi, request)).toMatchObject({ response_format: { type: 'json', value: schema } });
    expect(chatBody(tgi, { response_format: { type: 'json_object' } })).not.toHaveProperty('response_format');
  });

  it('is sent completions as inputs and parameters', () => {
    const always = { return_full_text: false, details: true };
    expect(completionBody(tgi, { ...sampling, stop: ['.'] })).toEqual({
      inputs: 'Hi',
      parameters: {
        max_new_tokens: 9,
        do_sample: true,
        temperature: 0.7,
        top_p: 0.9,
        top_k: 50,
        frequency_penalty: 0.5,
        stop: ['.'],
        ...always,
        decoder_input_details: true,
      },
      stream: false,
    });
    expect(completionBody(tgi, neutral, streamed)).toEqual({
      inputs: 'Hi',
      parameters: {
        max_new_tokens: 9,
        do_sample: true,
        temperature: 1,
        top_k: 50,
        ...always,
        decoder_input_details: false,
      },
      stream: true,
    });
  });

  it('does not sample at a temperature of 0', () => {
    const body = { parameters: { do_sample: false, max_new_tokens: 9 } };
    expect(completionBody(tgi, { ...sampling, temperature: 0 })).toMatchObject(body);
    expect(JSON.stringify(completionBody(tgi, { ...sampling, temperature: 0 }))).not.toMatch(/temperature|top_[pk]/);
  });

  it.each([
    ['an object', { city: 'Paris' }, '{"city":"Paris"}'],
    ['a text', '{"city":"Paris"}', '{"city":"Paris"}'],
  ])('may give the arguments of a call as %s', (_, given, read) => {
    const message = { role: 'assistant', tool_calls: [{ id: '0', function: { name: 'f', arguments: given } }] };
    const reply = tgi.chat!.reply({ choices: [{ message, finish_reason: 'stop' }], usage: null });
    expect(reply.choices[0]!.message.tool_calls![0]!.function).toEqual({ name: 'f', arguments: read });
  });

  it.each([
    ['a list', (call: object) => [call]],
    ['one', (call: object) => call],
  ])('may stream the calls as %s', (_, given) => {
    const delta = { role: 'assistant', tool_calls: given({ index: 0, function: { name: 'f', arguments: '{' } }) };
    const chunk = tgi.chat!.chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
    expect(chunk.choices[0]!.delta!.tool_calls![0]!.function).toEqual({ name: 'f', arguments: '{' });
  });

  const details = { finish_reason: 'eos_token', generated_tokens: 2, prefill: [{ id: 1 }, { id: 2 }, { id: 3 }] };
  it.each([
    [[{ generated_text: 'Hello', details }], 'eos_token', { prompt_tokens: 3, completion_tokens: 2 }],
    [{ generated_text: 'Hello', details }, 'eos_token', { prompt_tokens: 3, completion_tokens: 2 }],
    [[{ generated_text: 'Hello', details: { ...details, prefill: [] } }], 'eos_token', undefined],
    [[{ generated_text: 'Hello' }], undefined, undefined],
  ])('replies to a completion with %j', (reply, finish_reason, usage) => {
    expect(tgi.completion!.reply(reply)).toEqual({ choices: [{ text: 'Hello', finish_reason }], usage });
  });

  const token = { id: 1, text: ' you', special: false };
  const ended = { finish_reason: 'length', generated_tokens: 2, input_length: 3 };
  it.each([
    [{ token, generated_text: null, details: null }, { text: ' you', finish_reason: null }, undefined],
    [
      { token, generated_text: 'to you', details: ended },
      { text: ' you', finish_reason: 'length' },
      { prompt_tokens: 3, completion_tokens: 2 },
    ],
    [
      { token: { ...token, special: true }, generated_text: 'to', details: null },
      { text: '', finish_reason: 'stop' },
      undefined,
    ],
  ])('streams a completion with %j', (event, choice, usage) => {
    expect(tgi.completion!.chunk(event)).toEqual({ choices: [choice], usage });
  });
});
