import { describe, expect, it } from 'vitest';
import { contentOf, invoke, invokeStream, user } from '#test/models/demo-engine.ts';

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather in a given location',
    parameters: {
      type: 'object',
      properties: {
        location: { type: 'string' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['location'],
    },
  },
};
const invoice = {
  type: 'function',
  function: { name: 'sendInvoice', parameters: { type: 'object', properties: { customer: { type: 'string' } } } },
};

async function called(body: object) {
  const [choice] = (await invoke({ tools: [weather, invoice], ...body })).choices;
  const call = choice.message.tool_calls?.[0]?.function;
  return { reason: choice.finish_reason, name: call?.name, args: call && JSON.parse(call.arguments) };
}

describe('tools', () => {
  it('are called when the message is about one, with its words as arguments', async () => {
    expect(await called(user('How is the weather in New York, in fahrenheit, for 3 days?'))).toEqual({
      reason: 'tool_calls',
      name: 'get_weather',
      args: { location: 'New York', unit: 'fahrenheit', days: 3 },
    });
    expect(await called(user('weather in paris please'))).toMatchObject({ args: { location: 'paris' } });
    expect(await called(user('Send the invoice to Acme'))).toMatchObject({
      name: 'sendInvoice',
      args: { customer: 'Acme' },
    });
  });

  it('are left alone when the message is about something else, or tool_choice is none', async () => {
    expect(await called(user('Tell me a joke'))).toMatchObject({ reason: 'stop', name: undefined });
    expect(await called({ ...user('weather in Rome'), tool_choice: 'none' })).toMatchObject({ name: undefined });
  });

  it('are called when forced, whatever the message is', async () => {
    const forced = { type: 'function', function: { name: 'sendInvoice' } };
    expect(await called({ ...user('weather in Rome'), tool_choice: forced })).toMatchObject({ name: 'sendInvoice' });
    expect(await called({ ...user('Hello'), tool_choice: 'required' })).toMatchObject({ name: 'get_weather' });
    const unknown = { type: 'function', function: { name: 'other' } };
    expect((await invoke({ ...user('hi'), tools: [weather], tool_choice: unknown }, 400)).error.message).toContain(
      'tool_choice',
    );
  });

  it('end in a reply with text once there is a result', async () => {
    const messages = [
      { role: 'user', content: 'How is the weather in Rome?' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: {} }] },
      { role: 'tool', tool_call_id: 'call_1', name: 'get_weather', content: '{"temperature":22,"sky":"clear"}' },
    ];
    const text = await contentOf({ messages, tools: [weather] });
    expect(text).toContain('temperature is 22, sky is clear');
    expect(text).toContain('get_weather');
  });

  it('stream the name first, then the arguments in pieces', async () => {
    const body = { ...user('weather in Rome in celsius'), tools: [weather] };
    const whole = (await invoke(body)).choices[0].message.tool_calls?.[0];
    const events = await invokeStream(body);
    const calls = events.flatMap(({ choices: [choice] }) => choice?.delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ id: whole?.id, function: { name: 'get_weather', arguments: '' } });
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.map((call) => call.function.arguments).join('')).toBe(whole?.function.arguments);
    expect(events.at(-2)?.choices[0].finish_reason).toBe('tool_calls');
  });

  it('end with length when the arguments do not fit', async () => {
    const { choices, usage } = await invoke({ ...user('weather in Rome'), tools: [weather], max_tokens: 4 });
    expect([choices[0].finish_reason, usage.completion_tokens]).toEqual(['length', 4]);
  });
});
