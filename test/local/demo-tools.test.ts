import { describe, expect, it } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';

const engine = demoEngine({ wordDelayMs: 0 });
const never = new AbortController().signal;

async function choiceOf(content: string, more: object): Promise<any> {
  const reply = await engine.invoke({ messages: [{ role: 'user', content }], ...more }, never);
  if (reply.kind !== 'json') throw new Error('a stream');
  return (reply.body as { choices: unknown[] }).choices[0];
}

async function streamed(content: string, more: object): Promise<any[]> {
  const reply = await engine.invoke({ messages: [{ role: 'user', content }], stream: true, ...more }, never);
  if (reply.kind !== 'stream') throw new Error('no stream');
  const text = Buffer.concat(await Array.fromAsync(reply.chunks)).toString();
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  return events.map((event) => JSON.parse(event.replace('data: ', '')).choices[0]);
}

const toolNamed = (name: string) => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return { type: 'function', function: { name, parameters } };
};
const tools = ['get_weather', 'get_weather_map', 'getPopulation'].map(toolNamed);
const both = 'What is the weather in Paris, and the population of Tokyo?';
const called = ({ message }: any) =>
  (message.tool_calls ?? []).map(({ function: { name, arguments: text } }: any) => `${name} ${JSON.parse(text).city}`);

describe('several tools', () => {
  it('are called when the request names several, each with its own part of it', async () => {
    const choice = await choiceOf(both, { tools });
    expect([choice.finish_reason, called(choice)]).toEqual([
      'tool_calls',
      ['get_weather Paris', 'getPopulation Tokyo'],
    ]);
    expect(new Set(choice.message.tool_calls.map(({ id }: { id: string }) => id)).size).toBe(2);
  });

  it('are one where parallel calls are off or only one is named', async () => {
    expect(called(await choiceOf(both, { tools, parallel_tool_calls: false }))).toEqual(['get_weather Paris']);
    expect(called(await choiceOf('What is the weather in Paris?', { tools }))).toEqual(['get_weather Paris']);
  });

  it('come in a stream one after the other, each opened with id and name', async () => {
    const whole = await choiceOf(both, { tools });
    const pieces = (await streamed(both, { tools })).flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(pieces.filter(({ id }) => id).map(({ index, function: { name } }) => [index, name])).toEqual([
      [0, 'get_weather'],
      [1, 'getPopulation'],
    ]);
    for (const [index, call] of whole.message.tool_calls.entries()) {
      const own = pieces.filter((piece) => piece.index === index);
      expect(own.map((piece) => piece.function.arguments).join('')).toBe(call.function.arguments);
    }
  });

  it('share max_tokens: what does not fit is cut, with the finish reason length', async () => {
    const choice = await choiceOf(both, { tools, max_tokens: 4 });
    expect(choice.finish_reason).toBe('length');
    expect(choice.message.tool_calls).toHaveLength(1);
  });

  it('are all used in one reply', async () => {
    const messages = [
      { role: 'user', content: both },
      { role: 'assistant', content: null, tool_calls: [{}, {}] },
      { role: 'tool', tool_call_id: 'a', name: 'get_weather', content: '{"sky":"clear"}' },
      { role: 'tool', tool_call_id: 'b', name: 'getPopulation', content: '14 million' },
    ];
    const { message } = await choiceOf('', { messages, tools });
    expect(message.content).toMatch(/get_weather answered: sky is clear\..*getPopulation answered: 14 million\./);
  });
});

describe('response_format', () => {
  it('json_object is a JSON object with the reply', async () => {
    const { message } = await choiceOf('What grows in Lisbon?', { response_format: { type: 'json_object' } });
    expect(JSON.parse(message.content)).toEqual({ answer: expect.stringMatching(/demo engine.*Lisbon/) });
  });

  it('json_schema is JSON that fits the schema, whole and streamed', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' }, kind: { enum: ['trip', 'stay'] } },
      required: ['city', 'days', 'kind'],
      additionalProperties: false,
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'plan', schema } };
    const { message } = await choiceOf('A stay in Lisbon for 3 days', { response_format });
    expect(JSON.parse(message.content)).toEqual({ city: 'Lisbon', days: 3, kind: 'stay' });
    const pieces = await streamed('A stay in Lisbon for 3 days', { response_format });
    expect(pieces.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
  });

  it('text is words', async () => {
    expect((await choiceOf('Hello', { response_format: { type: 'text' } })).message.content).toMatch(
      /^This is the built-in/,
    );
  });
});
