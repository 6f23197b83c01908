import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { tgi } from '#gateways/sagemaker/tgi.ts';
import { lmi, tei, vllm } from '#gateways/sagemaker/vllm.ts';
import { whisperx } from '#gateways/sagemaker/whisperx.ts';

const sampling = { temperature: 0.7, top_p: 0.9, top_k: 50, frequency_penalty: 0.5, presence_penalty: 0.25 };
const neutral = { temperature: 1, top_p: 1, top_k: 50, frequency_penalty: 0, presence_penalty: 0 };
const messages = [{ role: 'user', content: 'Hi' }];
const whole = { stream: false };
const streamed = { stream: true };

/** The serialized request, without undefined fields. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
const chatBody = (container: typeof vllm, request: object, options: object = whole) =>
  sent(container.chat!.body({ messages, max_tokens: 9, ...request }, options as typeof whole));
const completionBody = (container: typeof vllm, request: object, options: object = whole) =>
  sent(container.completion!.body({ prompt: 'Hi', max_tokens: 9, ...request }, options as typeof whole));

describe.each([
  ['vllm', vllm],
  ['lmi', lmi],
] as const)('%s', (_, container) => {
  it('receives OpenAI bodies with top_k and without a model, and reports usage in streams', () => {
    const chat = { messages, max_tokens: 9 };
    expect(chatBody(container, { ...sampling, stop: ['.'] })).toEqual({ ...chat, ...sampling, stop: ['.'] });
    expect(completionBody(container, neutral)).toEqual({ prompt: 'Hi', max_tokens: 9, ...neutral });
    const stream = { stream: true, stream_options: { include_usage: true } };
    expect(chatBody(container, neutral, streamed)).toEqual({ ...chat, ...neutral, ...stream });
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const completion = { prompt: 'Hi', max_tokens: 9, ...neutral, stream: true, stream_options };
    expect(completionBody(container, neutral, streamed)).toEqual(completion);
  });

  it('receives its served name as the model if the stage sets one', () => {
    expect(chatBody(container, {}, { stream: false, servedName: 'mine' })).toMatchObject({ model: 'mine' });
    expect(completionBody(container, {}, { stream: true, servedName: 'mine' })).toMatchObject({ model: 'mine' });
  });

  it('receives the smallest positive top_p instead of 0, which it refuses', () => {
    expect(chatBody(container, { top_p: 0 })).toMatchObject({ top_p: 1e-6 });
  });
});

describe('tgi', () => {
  it('receives chats in OpenAI form, without the fields that it does not support', () => {
    const chat = { messages, max_tokens: 9 };
    const { top_k: _, presence_penalty: __, ...known } = sampling;
    expect(chatBody(tgi, { ...sampling, stop: ['.'] })).toEqual({ ...chat, ...known, stop: ['.'] });
    const stream = { stream: true, stream_options: { include_usage: true } };
    expect(chatBody(tgi, neutral, streamed)).toEqual({ ...chat, temperature: 1, ...stream });
  });

  it('receives calls and results without empty content, and a chosen function by its name', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const calling = { role: 'assistant', tool_calls: [call] };
    const result = { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '21' };
    const earlier = [{ ...calling, content: null }, { ...calling, content: '' }, result];
    const tool_choice = { type: 'function', function: { name: 'f' } };
    expect(chatBody(tgi, { messages: earlier, tools, tool_choice })).toEqual({
      messages: [calling, calling, result],
      max_tokens: 9,
      tools,
      tool_choice: 'f',
    });
    expect(chatBody(tgi, { tools, tool_choice: 'auto' })).toMatchObject({ tool_choice: 'auto' });
    expect(chatBody(tgi, { tool_choice: 'auto' })).not.toHaveProperty('tool_choice');
  });

  it('receives the JSON schema of a response in the form that TGI expects', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const request = { response_format: { type: 'json_schema', json_schema: { name: 'place', schema } } };
    expect(chatBody(tgi, request)).toMatchObject({ response_format: { type: 'json', value: schema } });
    expect(chatBody(tgi, { response_format: { type: 'json_object' } })).not.toHaveProperty('response_format');
  });

  it('receives completions as inputs and parameters', () => {
    const always = { max_new_tokens: 9, do_sample: true, return_full_text: false, details: true };
    const { presence_penalty: _, ...known } = sampling;
    expect(completionBody(tgi, { ...sampling, stop: ['.'] })).toEqual({
      inputs: 'Hi',
      parameters: { ...always, ...known, stop: ['.'], decoder_input_details: true },
      stream: false,
    });
    expect(completionBody(tgi, neutral, streamed)).toEqual({
      inputs: 'Hi',
      parameters: { ...always, temperature: 1, top_k: 50, decoder_input_details: false },
      stream: true,
    });
  });

  it('receives a request for greedy decoding at a temperature of 0', () => {
    const body = { parameters: { do_sample: false, max_new_tokens: 9 } };
    expect(completionBody(tgi, { ...sampling, temperature: 0 })).toMatchObject(body);
    expect(JSON.stringify(completionBody(tgi, { ...sampling, temperature: 0 }))).not.toMatch(/temperature|top_[pk]/);
  });

  it('may return arguments as an object or a text, and stream one call or a list', () => {
    for (const given of [{ city: 'Paris' }, '{"city":"Paris"}']) {
      const message = { role: 'assistant', tool_calls: [{ id: '0', function: { name: 'f', arguments: given } }] };
      const reply = tgi.chat!.reply({ choices: [{ message, finish_reason: 'stop' }], usage: null });
      expect(reply.choices[0]!.message.tool_calls![0]!.function.arguments).toBe('{"city":"Paris"}');
    }
    const call = { index: 0, function: { name: 'f', arguments: '{' } };
    for (const tool_calls of [call, [call]]) {
      const chunk = tgi.chat!.chunk({ choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }] });
      expect(chunk.choices[0]!.delta!.tool_calls![0]!.function).toEqual(call.function);
    }
  });

  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const details = { finish_reason: 'eos_token', generated_tokens: 2, prefill: [{ id: 1 }, { id: 2 }, { id: 3 }] };
  it.each([
    [[{ generated_text: 'Hello', details }], 'eos_token', usage],
    [{ generated_text: 'Hello', details }, 'eos_token', usage],
    [[{ generated_text: 'Hello', details: { ...details, prefill: [] } }], 'eos_token', undefined],
    [[{ generated_text: 'Hello' }], undefined, undefined],
  ])('completes with the text and usage of %j', (reply, finish_reason, reported) => {
    expect(tgi.completion!.reply(reply)).toEqual({ choices: [{ text: 'Hello', finish_reason }], usage: reported });
  });

  const token = { id: 1, text: ' you', special: false };
  const end = { ...token, special: true };
  const ended = { finish_reason: 'length', generated_tokens: 2, input_length: 3 };
  it.each([
    [{ token, generated_text: null, details: null }, ' you', null, undefined],
    [{ token, generated_text: 'to you', details: ended }, ' you', 'length', usage],
    [{ token: end, generated_text: 'to', details: null }, '', 'stop', undefined],
  ])('streams the text and finish reason of %j', (event, text, finish_reason, reported) => {
    expect(tgi.completion!.chunk(event)).toEqual({ choices: [{ text, finish_reason }], usage: reported });
  });
});

describe('embeddings', () => {
  const texts = Array.from({ length: 70 }, (_, index) => `text ${index}`);
  const vectors = [
    [0.1, 0.2],
    [0.3, 0.4],
  ];

  const bodiesOf = ({ embeddings }: typeof vllm) =>
    sent(embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body));

  it('are requested from vllm in OpenAI form, with vectors in any order', () => {
    expect(bodiesOf(vllm)).toEqual([{ input: texts, dimensions: 8 }]);
    const data = vectors.map((embedding, index) => ({ index, embedding })).toReversed();
    expect(vllm.embeddings!.reply({ data, usage: { prompt_tokens: 4 } })).toEqual({ vectors, promptTokens: 4 });
  });

  it('are requested from lmi as inputs', () => {
    expect(bodiesOf(lmi)).toEqual([{ inputs: texts }]);
    expect(lmi.embeddings!.reply(vectors)).toEqual({ vectors });
  });

  it('are requested from tei as inputs, 32 at a time', () => {
    const parts = [texts.slice(0, 32), texts.slice(32, 64), texts.slice(64)];
    expect(bodiesOf(tei)).toEqual(parts.map((inputs) => ({ inputs, truncate: false, dimensions: 8 })));
    expect(tei.embeddings!.reply(vectors)).toEqual({ vectors });
  });

  it.each([[{ data: vectors }], [[['a']]], [[[Number.NaN]]], ['no']])(
    'are refused if the reply is invalid: %j',
    (reply) => {
      expect(() => tei.embeddings!.reply(reply)).toThrow(v.ValiError);
    },
  );
});

const reply = (json: string) => whisperx.transcription?.reply(JSON.parse(json));

it.each(['1e999', '-1', '1e300', '"1"'])('a transcript of %s seconds is refused', (duration) => {
  expect(() => reply(`{"text":"hi","duration":${duration}}`)).toThrow('Invalid');
});

it.each([
  ['-5', '1', 0, 1],
  ['3', '1', 3, 3],
  ['0', '1e999', 0, 86_400],
  ['1e999', '-1e999', 86_400, 86_400],
])('transcript times from %s to %s are limited to a day and put in order', (from, to, start, end) => {
  const timed = `"start":${from},"end":${to}`;
  const read = reply(`{"text":"hi","duration":1,"segments":[{${timed},"text":"hi"}],"words":[{${timed},"word":"hi"}]}`);
  expect(read).toMatchObject({ segments: [{ start, end, text: 'hi' }], words: [{ start, end, word: 'hi' }] });
});

it('NUL and lone surrogates in a transcript are replaced', () => {
  const timed = `"start":0,"end":1`;
  const bad = String.raw`"a\u0000b\ud800c"`;
  const read = reply(
    `{"text":${bad},"language":${bad},"segments":[{${timed},"text":${bad}}],"words":[{${timed},"word":${bad}}]}`,
  );
  const text = 'a\ufffdb\ufffdc';
  expect(read).toMatchObject({ text, language: text, segments: [{ text }], words: [{ word: text }] });
});
