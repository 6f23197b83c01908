import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '#test/attacks/hostile-texts.ts';
import { invoke, user } from '#test/models/demo-engine.ts';

interface Schema {
  $ref?: string;
  format?: string;
  [keyword: string]: unknown;
}

/** An independent judge of the keywords that the generator below uses. */
function valid(value: unknown, schema: Schema, defs: Record<string, Schema>): boolean {
  const is = (name: unknown) => typeof schema[String(name)] === 'number';
  const limit = (name: string) => schema[name] as number;
  if (schema.$ref) return valid(value, defs[schema.$ref.replace('#/$defs/', '')]!, defs);
  if (schema.anyOf) return (schema.anyOf as Schema[]).some((branch) => valid(value, branch, defs));
  if ('const' in schema) return JSON.stringify(value) === JSON.stringify(schema.const);
  if (schema.enum) return (schema.enum as unknown[]).some((each) => JSON.stringify(each) === JSON.stringify(value));
  const types = new Set([schema.type].flat());
  if (value === null) return types.has('null');
  if (typeof value === 'boolean') return types.has('boolean');
  if (typeof value === 'number') {
    return (
      (types.has('number') || (types.has('integer') && Number.isInteger(value))) &&
      !(is('minimum') && value < limit('minimum')) &&
      !(is('maximum') && value > limit('maximum')) &&
      !(is('exclusiveMinimum') && value <= limit('exclusiveMinimum')) &&
      !(is('exclusiveMaximum') && value >= limit('exclusiveMaximum')) &&
      !(is('multipleOf') && value % limit('multipleOf') !== 0)
    );
  }
  if (typeof value === 'string') {
    const points = Array.from(value).length;
    const formats: Record<string, (text: string) => boolean> = {
      date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
      'date-time': (text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)),
      email: (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text),
      uri: (text) => URL.canParse(text),
    };
    const formatted = schema.format === undefined || formats[schema.format]!(value);
    const short = is('minLength') && points < limit('minLength');
    return types.has('string') && formatted && !short && !(is('maxLength') && points > limit('maxLength'));
  }
  if (Array.isArray(value)) {
    const few = is('minItems') && value.length < limit('minItems');
    const many = is('maxItems') && value.length > limit('maxItems');
    return types.has('array') && !few && !many && value.every((each) => valid(each, schema.items as Schema, defs));
  }
  const object = value as Record<string, unknown>;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  return (
    types.has('object') &&
    ((schema.required ?? []) as string[]).every((name) => Object.hasOwn(object, name)) &&
    Object.entries(object).every(
      ([name, each]) => Object.hasOwn(properties, name) && valid(each, properties[name]!, defs),
    )
  );
}

const range = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(500));
const numbers = fc.oneof(
  fc.record({ type: fc.constantFrom('number', 'integer') }),
  fc
    .tuple(fc.constantFrom('number', 'integer'), range)
    .map(([type, [low, more]]) => ({ type, minimum: low, maximum: low + more })),
  range.map(([low, more]) => ({
    type: 'number',
    exclusiveMinimum: low / 8,
    exclusiveMaximum: (low + more + 1) / 8,
  })),
  range.map(([low, more]) => ({ type: 'integer', exclusiveMinimum: low, exclusiveMaximum: low + more + 2 })),
  fc.tuple(range, fc.integer({ min: 1, max: 50 })).map(([[low, more], multipleOf]) => ({
    type: 'integer',
    multipleOf,
    minimum: low,
    maximum: low + more + multipleOf,
  })),
  range.map(([maximum]) => ({ type: 'number', maximum })),
);
const strings = fc.oneof(
  fc.constant({ type: 'string' }),
  fc
    .tuple(fc.nat(40), fc.nat(40))
    .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc.constantFrom('date', 'date-time', 'email', 'uri').map((format) => ({ type: 'string', format })),
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

describe('arguments', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'Book a table for 2 in Paris on 2026-05-06',
      'mail ann@example.org 17 "things" from https://example.org/x',
      '',
    ),
  );
  const defs = {
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } }, required: ['n'] },
  };

  async function fill(parameters: object, text: string): Promise<unknown> {
    const tool = { type: 'function', function: { name: 'f', parameters } };
    const body = { ...user(text), tools: [tool], tool_choice: 'required' };
    const { choices } = await invoke(body);
    expect(choices[0].finish_reason).toBe('tool_calls');
    return JSON.parse(choices[0].message.tool_calls![0]!.function.arguments);
  }

  it('satisfy any schema', async () => {
    await fc.assert(
      fc.asyncProperty(node, texts, async (schema, text) => {
        const args = await fill({ type: 'object', properties: { it: schema }, required: ['it'], $defs: defs }, text);
        expect({ args, valid: valid((args as { it: unknown }).it, schema, defs) }).toEqual({ args, valid: true });
      }),
      { numRuns: 400 },
    );
  });

  it('follow defaults, merged parts and references to the whole', async () => {
    const schema = {
      allOf: [{ properties: { a: { default: 'x' } }, required: ['a'] }, { $ref: '#/$defs/b' }],
      $defs: { b: { properties: { b: { const: 5 } }, required: ['b'] } },
    };
    expect(await fill(schema, 'hi')).toEqual({ a: 'x', b: 5 });
    const tree = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } }, required: ['kids'] };
    expect(await fill(tree, 'hi')).toMatchObject({ kids: expect.any(Array) });
  });

  it('take several names and numbers into lists', async () => {
    const list = (type: string) => ({ type: 'array', items: { type } });
    const schema = { type: 'object', properties: { cities: list('string'), values: list('number') } };
    expect(await fill(schema, 'Compare Oslo and Rome at 3.5 and 4')).toEqual({
      cities: ['Oslo', 'Rome'],
      values: [3.5, 4],
    });
  });

  it('stay small and come immediately for schemas made to hurt', async () => {
    const bomb = (depth: number): object =>
      depth === 0 ? { type: 'string', minLength: 1e9 } : { type: 'array', minItems: 1e9, items: bomb(depth - 1) };
    const loop = { $ref: '#', allOf: Array.from({ length: 50 }, () => ({ $ref: '#', anyOf: [{ $ref: '#' }] })) };
    const took = await processorMs(async () => {
      await invoke({
        ...user('x'),
        tools: [{ type: 'function', function: { name: 'f', parameters: bomb(20) } }],
        tool_choice: 'required',
        max_tokens: 10,
      });
      await invoke({
        ...user('x'),
        tools: [{ type: 'function', function: { name: 'f', parameters: loop } }],
        tool_choice: 'required',
      });
    });
    expect(took).toBeLessThan(2000);
  });
});
