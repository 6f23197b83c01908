import { describe, expect, it } from 'vitest';
import { contentOf, invoke, invokeStream, user } from '#test/models/demo-engine.ts';

const schema = {
  title: 'User',
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const system = (content: string) => ({ role: 'system', content });
const said = (content: string) => ({ role: 'user', content });
const asObject = { response_format: { type: 'json_object' } };
const jason = said('Extract: Jason is 25 years old.');

/** What clients send, in their own words. */
const instructor = `As a genius expert, provide the parsed objects in json that match this json_schema:\n\n${JSON.stringify(schema, null, 2)}\n\nMake sure to return an instance of the JSON, not the schema itself`;
const parser = `The output should be formatted as a JSON instance that conforms to the JSON schema below.\n\nFor the schema {"properties": {"foo": {"type": "array", "items": {"type": "string"}}}, "required": ["foo"]} the object {"foo": ["bar", "baz"]} is well-formatted.\n\nHere is the output schema:\n\`\`\`\n${JSON.stringify(schema)}\n\`\`\``;

describe('the demo engine in a JSON mode', () => {
  it.each<[string, object, unknown]>([
    [
      'a schema in the system message',
      { messages: [system(instructor), jason], ...asObject },
      { name: 'Jason', age: 25 },
    ],
    ['the last of several schemas', { messages: [system(parser), jason] }, { name: 'Jason', age: 25 }],
    [
      'an example',
      { messages: [said('Describe Lisbon as JSON like {"city": "", "people": 1, "tags": ["x"]}')], ...asObject },
      { city: 'Lisbon', people: 1, tags: ['Lisbon'] },
    ],
    [
      'the names of fields',
      { messages: [said('Make me a joke about "Cats" in JSON with keys "setup" and "punchline".')], ...asObject },
      { setup: 'Cats', punchline: 'setup' },
    ],
    [
      'the quoted names of fields before the word',
      { messages: [said('A joke about "Cats". Respond in JSON with `setup` and `punchline` keys.')], ...asObject },
      { setup: 'Cats', punchline: 'Cats' },
    ],
    [
      'values named next to their fields',
      {
        ...user('A person whose age is 36 and name is Ada Lovelace, with 2 dogs and 3 cats'),
        response_format: {
          type: 'json_schema',
          json_schema: {
            schema: {
              type: 'object',
              properties: {
                cats: { type: 'integer' },
                dogs: { type: 'integer' },
                age: { type: 'integer' },
                name: { type: 'string' },
              },
            },
          },
        },
      },
      { cats: 3, dogs: 2, age: 36, name: 'Ada Lovelace' },
    ],
  ])('fills %s', async (_, body, expected) => {
    expect(JSON.parse(await contentOf(body))).toEqual(expected);
  });

  it('fences the block if the words request it', async () => {
    const asked = said('Return the correct JSON response within a ```json codeblock. not the JSON_SCHEMA');
    const text = await contentOf({ messages: [system(instructor), jason, asked] });
    expect(text).toMatch(/^```json\n\{.*\}\n```$/s);
    expect(Object.keys(JSON.parse(text.slice(8, -4)))).toEqual(['name', 'age']);
  });

  it('responds with an object in any case, and with prose if no JSON is requested', async () => {
    expect(JSON.parse(await contentOf({ ...user('Hello'), ...asObject }))).toEqual({ answer: expect.any(String) });
    expect(await contentOf({ messages: [system(`A schema: ${JSON.stringify(schema)}`), jason] })).toMatch(
      /demo engine/,
    );
  });

  it('ends quickly for long texts with many braces', async () => {
    const startedAt = performance.now();
    for (const text of ['{'.repeat(30_000), '{"a":1}'.repeat(4000), '{"'.repeat(15_000), 'keys '.repeat(15_000)])
      await contentOf({ ...user(text), ...asObject, max_tokens: 50 });
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

describe('the demo engine with reasoning_effort', () => {
  const body = { ...user('Hello'), reasoning_effort: 'low', max_tokens: 200 };

  it('reasons first and counts the tokens within its output', async () => {
    const { choices, usage } = (await invoke(body)) as any;
    const { reasoning_content: reasoning, content } = choices[0].message;
    expect([reasoning, content]).toEqual([expect.stringMatching(/does not think/), expect.stringMatching(/demo/)]);
    const { reasoning_tokens } = usage.completion_tokens_details;
    expect(reasoning_tokens).toBeGreaterThan(5);
    expect(usage.completion_tokens).toBeGreaterThan(reasoning_tokens);
    const events = (await invokeStream(body)) as any[];
    const text = (field: string) => events.map((event) => event.choices[0]?.delta[field] ?? '').join('');
    expect([text('reasoning_content'), text('content')]).toEqual([reasoning, content]);
    expect(events.at(-1).usage).toEqual(usage);
  });

  it('does not reason with the effort none', async () => {
    const { choices } = (await invoke({ ...body, reasoning_effort: 'none' })) as any;
    expect(choices[0].message).not.toHaveProperty('reasoning_content');
  });
});
