import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '#test/attacks/hostile-texts.ts';
import { type Schema, violations } from '#test/contract/json-schema.ts';
import { invoke, user } from '#test/models/demo-engine.ts';

const low = fc.integer({ min: -1000, max: 1000 });
const more = fc.nat(500);
const numbers = fc.oneof(
  fc.record({ type: fc.constantFrom('number', 'integer') }),
  fc.record({ type: fc.constant('number'), maximum: low }),
  fc
    .tuple(low, more, fc.integer({ min: 1, max: 50 }))
    .chain(([from, wide, step]) =>
      fc.constantFrom<Schema>(
        { type: 'number', minimum: from, maximum: from + wide },
        { type: 'number', exclusiveMinimum: from / 8, exclusiveMaximum: (from + wide + 1) / 8 },
        { type: 'integer', exclusiveMinimum: from, exclusiveMaximum: from + wide + 2 },
        { type: 'integer', multipleOf: step, minimum: from, maximum: from + wide + step },
      ),
    ),
);
const strings = fc.oneof(
  fc.tuple(fc.nat(40), fc.nat(40)).map(([minLength, longer]) => {
    return { type: 'string', minLength, maxLength: minLength + longer };
  }),
  fc.constantFrom(undefined, 'date', 'date-time', 'email', 'uri').map((format) => ({
    type: 'string',
    ...(format && { format }),
  })),
);
const leaves = fc.oneof(
  numbers,
  strings,
  fc.constantFrom<Schema>(
    { type: 'boolean' },
    { type: 'null' },
    { type: ['null', 'string'] },
    { $ref: '#/$defs/node' },
  ),
  fc
    .jsonValue({ maxDepth: 1 })
    .filter((value) => value !== undefined)
    .map((value) => ({ const: value })),
  fc
    .array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((values) => ({ enum: values })),
);
const propertyName = fc.oneof(
  fc.constantFrom('city', 'query', 'count', '__proto__', 'constructor', 'toString'),
  fc.string(),
);
const { node } = fc.letrec<{ node: Schema; object: Schema; array: Schema; choice: Schema }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaves, tie('object'), tie('array'), tie('choice')),
  object: fc.tuple(fc.array(fc.tuple(propertyName, tie('node'), fc.boolean()), { maxLength: 4 })).map(([fields]) => ({
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
    required: fields.filter(([, , needed]) => needed).map(([name]) => name),
  })),
  array: fc.tuple(tie('node'), fc.nat(3), fc.nat(3)).map(([items, minItems, more]) => ({
    type: 'array',
    items,
    minItems,
    maxItems: minItems + more,
  })),
  choice: fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
}));

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'Book a table for 2 in Paris on 2026-05-06',
    'mail ann@example.org 17 "things" from https://example.org/x',
    '',
  ),
);
const definition: Schema = {
  type: 'object',
  properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } },
  required: ['n'],
};
const resolve = (schema: Schema): Schema => (schema.$ref ? definition : schema);

const forced = (parameters: object, text: string) => ({
  ...user(text),
  tools: [{ type: 'function', function: { name: 'f', parameters } }],
  tool_choice: 'required',
});

async function fill(parameters: object, text: string): Promise<unknown> {
  const { choices } = await invoke(forced(parameters, text));
  expect(choices[0].finish_reason).toBe('tool_calls');
  return JSON.parse(choices[0].message.tool_calls![0]!.function.arguments);
}

describe('the arguments of a function call', () => {
  it('satisfy any schema', async () => {
    await fc.assert(
      fc.asyncProperty(node, texts, async (schema, text) => {
        const parameters = {
          type: 'object',
          properties: { it: schema },
          required: ['it'],
          $defs: { node: definition },
        };
        const args = (await fill(parameters, text)) as { it: unknown };
        expect({ args, violations: violations(schema, args.it, { resolve, closed: true }) }).toMatchObject({
          violations: [],
        });
      }),
      { numRuns: 400 },
    );
  });

  it('are small and quickly generated for hostile schemas', async () => {
    const bomb = (depth: number): object =>
      depth === 0 ? { type: 'string', minLength: 1e9 } : { type: 'array', minItems: 1e9, items: bomb(depth - 1) };
    const loop = { $ref: '#', allOf: Array.from({ length: 50 }, () => ({ $ref: '#', anyOf: [{ $ref: '#' }] })) };
    const took = await processorMs(async () => {
      await invoke({ ...forced(bomb(20), 'x'), max_tokens: 10 });
      await invoke(forced(loop, 'x'));
    });
    expect(took).toBeLessThan(2000);
  });
});
