import { describe, expect, it } from 'vitest';
import { type Choice, contentOf, invoke, invokeStream, user } from '#test/models/demo-engine.ts';

const toolOf = (name: string, properties: object, required: string[] = []) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, required } },
});
const city = { type: 'string' };
const weather = toolOf(
  'get_weather',
  {
    location: { type: 'string' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  },
  ['location'],
);
const invoice = toolOf('sendInvoice', { customer: { type: 'string' } });
const several = ['get_weather', 'get_weather_map', 'getPopulation'].map((name) => toolOf(name, { city }, ['city']));
const both = user('What is the weather in Paris, and the population of Tokyo?');

const callsOf = ({ message: { tool_calls: calls = [] } }: Choice) =>
  calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);

async function called(body: object) {
  const [choice] = (await invoke({ tools: [weather, invoice], ...body })).choices;
  return [choice.finish_reason, ...callsOf(choice)];
}

describe('the demo engine', () => {
  const forced = (name: string) => ({ tool_choice: { type: 'function', function: { name } } });

  it.each<[string, object, unknown[]]>([
    [
      'with words of the message as arguments',
      user('How is the weather in New York, in fahrenheit, for 3 days?'),
      ['tool_calls', ['get_weather', { location: 'New York', unit: 'fahrenheit', days: 3 }]],
    ],
    ['by any word of a name', user('Send the invoice to Acme'), ['tool_calls', ['sendInvoice', { customer: 'Acme' }]]],
    [
      'when the request names one',
      { ...user('weather in Rome'), ...forced('sendInvoice') },
      ['tool_calls', ['sendInvoice', { customer: 'Rome' }]],
    ],
    [
      'once for each that the message is about',
      { ...both, tools: several },
      ['tool_calls', ['get_weather', { city: 'Paris' }], ['getPopulation', { city: 'Tokyo' }]],
    ],
    [
      'once with parallel calls off',
      { ...both, tools: several, parallel_tool_calls: false },
      ['tool_calls', ['get_weather', { city: 'Paris' }]],
    ],
    ['never if the message is about something else', user('Tell me a joke'), ['stop']],
    ['never with tool_choice none', { ...user('weather in Rome'), tool_choice: 'none' }, ['stop']],
  ])('calls functions %s', async (_, body, expected) => {
    expect(await called(body)).toEqual(expected);
  });

  it('calls a function if one is required, and returns 400 for an unknown one', async () => {
    expect(await called({ ...user('Hello'), tool_choice: 'required' })).toMatchObject([
      'tool_calls',
      ['get_weather', {}],
    ]);
    const { error } = await invoke({ ...user('hi'), tools: [weather], ...forced('other') }, 400);
    expect(error.message).toContain('tool_choice');
  });

  it('streams calls one after the other, each with id and name before its arguments', async () => {
    const body = { ...both, tools: several };
    const { tool_calls: whole = [] } = (await invoke(body)).choices[0].message;
    const events = await invokeStream(body);
    const pieces = events.flatMap(({ choices: [choice] }) => choice?.delta.tool_calls ?? []);
    expect(pieces.filter(({ id }) => id).map((piece) => [piece.id, piece.function])).toEqual(
      whole.map((call) => [call.id, { name: call.function.name, arguments: '' }]),
    );
    for (const [index, call] of whole.entries()) {
      const own = pieces.filter((piece) => piece.index === index);
      expect(own.length).toBeGreaterThan(2);
      expect(own.map((piece) => piece.function.arguments).join('')).toBe(call.function.arguments);
    }
    expect(events.at(-2)?.choices[0].finish_reason).toBe('tool_calls');
  });

  it('calls functions within max_tokens', async () => {
    const { choices, usage } = await invoke({ ...both, tools: several, max_tokens: 4 });
    expect([choices[0].finish_reason, choices[0].message.tool_calls?.length, usage.completion_tokens]).toEqual([
      'length',
      1,
      4,
    ]);
  });

  it('uses all function results in its reply', async () => {
    const messages = [
      { role: 'user', content: 'What is the weather in Paris, and the population of Tokyo?' },
      { role: 'assistant', content: null, tool_calls: [{}, {}] },
      { role: 'tool', tool_call_id: 'a', name: 'get_weather', content: '{"temperature":22,"sky":"clear"}' },
      { role: 'tool', tool_call_id: 'b', name: 'getPopulation', content: '14 million' },
    ];
    expect(await contentOf({ messages, tools: several })).toMatch(
      /get_weather answered: temperature is 22, sky is clear\..*getPopulation answered: 14 million\./,
    );
  });
});

describe('response_format', () => {
  const schema = {
    type: 'object',
    properties: { city, days: { type: 'integer' }, kind: { enum: ['trip', 'stay'] } },
    required: ['city', 'days', 'kind'],
    additionalProperties: false,
  };

  it.each<[object, RegExp]>([
    [{ type: 'json_object' }, /^\{"answer":".*demo engine.*Lisbon.*"\}$/],
    [{ type: 'json_schema', json_schema: { name: 'plan', schema } }, /^\{"city":"Lisbon","days":3,"kind":"stay"\}$/],
    [{ type: 'text' }, /^This is the built-in/],
  ])('%j determines the format of the reply, with and without streaming', async (response_format, expected) => {
    const body = { ...user('A stay in Lisbon for 3 days'), response_format };
    const content = await contentOf(body);
    expect(content).toMatch(expected);
    const pieces = await invokeStream(body);
    expect(pieces.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe(content);
  });
});
