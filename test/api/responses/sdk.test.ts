import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { beforeAll, describe, expect, it } from 'vitest';
import { usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
let client: OpenAI;
beforeAll(() => {
  client = new OpenAI({ apiKey: person.key, baseURL: `${service.origin}/openai/v1`, maxRetries: 0 });
});

const model = 'svc-1';
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

describe('the OpenAI SDK', () => {
  it('creates, retrieves and deletes a response', async () => {
    const response = await client.responses.create({ model, input: 'Hello' });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: expect.stringMatching(/demo/),
    });
    const { id } = response;
    const { output, usage } = await client.responses.retrieve(id);
    expect({ output, usage }).toEqual({ output: response.output, usage: response.usage });
    const items = await client.responses.inputItems.list(id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    ]);
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404, type: 'not_found' });
  });

  it('streams the events in order', async () => {
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ model, input: 'Hello', stream: true }))
      events.push(event);
    const types = events.map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  });

  it('calls a function through the stream helper, and continues with its result', async () => {
    const stream = client.responses.stream({ model, input: 'What is the weather in Paris?', tools: [weather] });
    const response = await stream.finalResponse();
    const [call] = response.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}', status: 'completed' });
    const next = await client.responses.create({
      model,
      previous_response_id: response.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: '{"sky":"clear"}' }],
      tools: [weather],
    });
    expect(next.output_text).toContain('sky is clear');
  });
});
