import { describe, expect, it } from 'vitest';
import { titan, useBedrock } from '#test/models/bedrock.ts';
import { demo, streaming } from '#test/models/model-families.ts';

const bedrock = useBedrock();

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const message = (content: string, more: object = {}) => ({
  kind: 'json' as const,
  status: 200,
  body: { choices: [{ message: { content, ...more }, finish_reason: 'stop' }] },
});

describe('a chat with a model on Bedrock', () => {
  it('has the same text, reason and usage with and without streaming', async () => {
    const whole = await bedrock.chat();
    const { error, text, reason, usage } = await bedrock.stream();
    expect(error).toBeUndefined();
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(text).toContain('🎉');
    expect([reason, usage]).toEqual([whole.choices[0]?.finish_reason, whole.usage]);
    expect(whole.usage?.prompt_tokens).toBeGreaterThan(5);
  });

  it('sends instructions, sampling and stops as Converse expects them', async () => {
    await bedrock.chat({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'One.' },
        { role: 'user', content: ' ' },
        { role: 'user', content: 'Two.' },
        { role: 'assistant', content: '' },
      ],
      temperature: 1.5,
      top_p: 0.5,
      top_k: 3,
      presence_penalty: 1,
      reasoning_effort: 'high',
      seed: 7,
      stop: ['END', ' \n'],
    });
    expect(bedrock.bodies).toMatchObject([
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'One.\nTwo.' },
        ],
        temperature: 1,
        top_p: 0.5,
        stop: ['END'],
      },
    ]);
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['stop', 'stop'],
  ])('ends with the reason %s', async (given, reason) => {
    bedrock.engine = {
      invoke: async () => ({
        ...message('x'),
        body: { choices: [{ message: { content: 'x' }, finish_reason: given }] },
      }),
    };
    expect((await bedrock.chat()).choices[0]?.finish_reason).toBe(reason);
    bedrock.engine = streaming([
      `data: ${JSON.stringify({ choices: [{ delta: { content: 'x' }, finish_reason: given }] })}\n\n`,
      'data: [DONE]\n\n',
    ]);
    expect(await bedrock.stream()).toMatchObject({ text: 'x', reason });
  });

  it('counts cached tokens as part of the prompt, and passes reasoning on', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } };
    const counted = { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 80, cache_write_tokens: 0 };
    const output = { reasoning_content: 'Hm.', content: 'Yes.' };
    bedrock.engine = {
      invoke: async () => ({
        kind: 'json',
        status: 200,
        body: { choices: [{ message: output, finish_reason: 'stop' }], usage },
      }),
    };
    expect(await bedrock.chat()).toMatchObject({
      choices: [{ message: { content: 'Yes.', reasoning: 'Hm.' } }],
      usage: counted,
    });
    bedrock.engine = streaming([
      `data: ${JSON.stringify({ choices: [{ delta: { reasoning_content: 'Hm.' } }] })}\n\n`,
      `data: ${JSON.stringify({ choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] })}\n\n`,
      `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    ]);
    const chunks = [];
    for await (const chunk of bedrock.open().chunks) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta?.reasoning).filter(Boolean)).toEqual(['Hm.']);
    expect(chunks.findLast((chunk) => chunk.usage)?.usage).toEqual(counted);
  });

  it('requires a JSON schema for a response of JSON', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    await bedrock.chat({ response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } });
    expect(bedrock.bodies).toMatchObject([{ response_format: { json_schema: { schema } } }]);
    await expect(bedrock.chat({ response_format: { type: 'json_object' } })).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: 'response_format must be json_schema for this model, or absent.',
    });
  });
});

describe('tools of a model on Bedrock', () => {
  it('are called with the same arguments with and without streaming, and their results are accepted', async () => {
    const offered = { tools: [weather], tool_choice: 'required' };
    const whole = await bedrock.chat(offered);
    const [call] = whole.choices[0]!.message.tool_calls!;
    expect(call!.function.name).toBe('weather');
    expect(JSON.parse(call!.function.arguments)).toHaveProperty('city');
    expect(whole.choices[0]!.finish_reason).toBe('tool_calls');
    const streamed = await bedrock.stream(offered);
    expect(streamed.calls.map((part) => part.arguments ?? '').join('')).toBe(call!.function.arguments);
    expect(streamed.reason).toBe('tool_calls');
    const answered = await bedrock.chat({
      tools: [weather],
      messages: [
        ...bedrock.question.messages,
        { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'not/allowed: there', type: 'function' }] },
        { role: 'tool', tool_call_id: 'not/allowed: there', name: 'weather', content: 'Rain.' },
      ],
    });
    expect(answered.choices[0]!.message.content).not.toBe('');
    expect(bedrock.bodies.at(-1).messages.at(-1)).toMatchObject({ role: 'tool', content: 'Rain.' });
  });

  it.each([
    ['auto', undefined],
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'weather' } },
      { type: 'function', function: { name: 'weather' } },
    ],
  ])('are offered with the choice %j', async (tool_choice, sent) => {
    await bedrock.chat({ tools: [weather], tool_choice });
    expect(bedrock.bodies[0].tool_choice).toEqual(sent);
    expect(bedrock.bodies[0].tools).toEqual([weather]);
  });

  it('are not offered with the choice none, and earlier calls are then sent as text', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } };
    const messages = [
      ...bedrock.question.messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'Rain.' },
    ];
    await bedrock.chat({ tools: [weather], tool_choice: 'none', messages });
    expect(bedrock.bodies[0]).not.toHaveProperty('tools');
    expect(bedrock.bodies[0].messages.slice(1)).toEqual([
      { role: 'assistant', content: '[Called weather: {"city":"Bern"}]' },
      { role: 'user', content: '[Result: Rain.]' },
    ]);
  });

  it('that need no arguments are called with an empty object, and arguments without JSON are sent as a field', async () => {
    const called = { id: 'a', function: { name: 'weather', arguments: '' } };
    bedrock.engine = streaming([
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, ...called }] }, finish_reason: 'tool_calls' }] })}\n\n`,
      'data: [DONE]\n\n',
    ]);
    expect((await bedrock.stream({ tools: [weather] })).calls.map((part) => part.arguments ?? '').join('')).toBe('{}');
    bedrock.engine = demo;
    const broken = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city' } };
    const messages = [
      ...bedrock.question.messages,
      { role: 'assistant', content: null, tool_calls: [broken] },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ];
    await bedrock.chat({ tools: [weather], messages });
    expect(bedrock.bodies.at(-1).messages[1].tool_calls[0].function.arguments).toBe('{"arguments":"{\\"city"}');
  });
});

describe('embeddings of Titan on Bedrock', () => {
  it('contain the vectors of all texts in order, and the sum of their tokens', async () => {
    const input = Array.from({ length: 20 }, (_, index) => `Text number ${index}`);
    const { data, usage } = await bedrock.gatewayTo(titan).embed('m', { input, dimensions: 64 });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual(input.map((_, index) => [index, 64]));
    expect(usage?.prompt_tokens).toBe(60);
    const alone = await bedrock.gatewayTo(titan).embed('m', { input: ['Text number 7'], dimensions: 64 });
    expect(alone.data[0]?.embedding).toEqual(data[7]?.embedding);
  });

  it('fail as a whole if one text fails', async () => {
    bedrock.faults.order({ target: 'bedrock', fault: 'throttle', endpoint: titan, count: 1 });
    const input = Array.from({ length: 20 }, (_, index) => `Text number ${index}`);
    await expect(bedrock.gatewayTo(titan).embed('m', { input })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
