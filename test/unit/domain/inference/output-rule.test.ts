import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OutputRule, outputCheck } from '#domain/inference/output-rule.ts';

const path = 'response_format.json_schema.schema';
const proved = async () => undefined;
const rule = (schema: Record<string, unknown>): OutputRule => ({ type: 'json_schema', name: 'reply', schema, path });
const checkOf = (schema: Record<string, unknown>) => outputCheck(rule(schema), proved);

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    mail: { type: 'string', format: 'email' },
    kind: { enum: ['a', 'b', null] },
    friends: { type: 'array', items: { $ref: '#' }, maxItems: 2 },
    pet: { anyOf: [{ $ref: '#/$defs/Cat' }, { type: 'null' }] },
  },
  required: ['name', 'age'],
  additionalProperties: false,
  $defs: { Cat: { type: 'object', properties: { lives: { const: 9 } }, required: ['lives'] } },
};
const ada = { name: 'Ada', age: 36 };

describe('a reply with a JSON schema', () => {
  it.each<[string, unknown]>([
    ['all required fields', ada],
    ['all fields', { ...ada, mail: 'ada@example.com', kind: null, friends: [ada], pet: { lives: 9 } }],
    ['null in place of a reference', { ...ada, pet: null }],
  ])('fits with %s', async (_, reply) => {
    const check = await checkOf(person);
    expect(check(JSON.stringify(reply, null, 2))).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['prose', 'Ada is 36.', 'it is not JSON'],
    ['a fenced block', '```json\n{"name":"Ada","age":36}\n```', 'it is not JSON'],
    ['an empty text', '', 'it is not JSON'],
    ['a truncated object', '{"name":"Ada"', 'it is not JSON'],
    ['a list', '[]', '# violates type'],
    ['a missing field', '{"name":"Ada"}', '# violates required'],
    ['an additional field', JSON.stringify({ ...ada, more: 1 }), '#/more violates false'],
    ['another type', JSON.stringify({ ...ada, age: '36' }), '#/age violates type'],
    ['a fraction', JSON.stringify({ ...ada, age: 36.5 }), '#/age violates type'],
    ['a number out of range', JSON.stringify({ ...ada, age: 151 }), '#/age violates maximum'],
    ['another word', JSON.stringify({ ...ada, kind: 'c' }), '#/kind violates enum'],
    ['another format', JSON.stringify({ ...ada, mail: 'ada' }), '#/mail violates format'],
    ['a wrong item', JSON.stringify({ ...ada, friends: [ada, {}] }), '#/friends/1 violates required'],
    ['a wrong reference', JSON.stringify({ ...ada, pet: { lives: 1 } }), '#/pet violates type'],
  ])('does not fit as %s', async (_, reply, problem) => {
    const mismatch = (await checkOf(person))(reply);
    expect(mismatch?.violation ?? mismatch?.problem).toBe(problem);
    expect(mismatch?.problem).toBe(mismatch?.violation ? 'it violates the schema' : problem);
  });

  it('is checked even if the schema contains examples, identifiers and fields named like keywords', async () => {
    const example = { id: 'no identifier', type: 5 };
    const check = await checkOf({
      $id: 'https://example.com/trip.json',
      properties: { id: { $ref: 'trip.json#/$defs/id', example, 'x-form': example }, example: { type: 'string' } },
      example,
      $defs: { id: { $anchor: 'id', type: 'string', nullable: true } },
    });
    expect(check('{"id":"a","example":"b"}')).toBeUndefined();
    expect(check('{"id":1}')?.violation).toBe('#/id violates type');
    expect(check('{"example":1}')?.violation).toBe('#/example violates type');
  });

  it('does not change the request, which is also sent to the model', async () => {
    const before = JSON.stringify(person);
    await checkOf(person);
    expect(Reflect.ownKeys(person)).toEqual(Object.keys(JSON.parse(before)));
  });

  it('is checked in an own property named __proto__, like in any other', async () => {
    const check = await checkOf({ ...person, additionalProperties: false });
    expect(check('{"name":"Ada","age":1,"__proto__":{"x":1}}')?.violation).toMatch(/__proto__ violates/);
    expect(({} as any).x).toBeUndefined();
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
const twice = (one: object) => ({ allOf: [one, one] });
const chain = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`d${index}`, twice({ $ref: `#/$defs/d${index + 1}` })]),
);
const many = (each: (index: number) => object) =>
  Object.fromEntries(Array.from({ length: 2800 }, (_, index) => [`k${index}`, each(index)]));

describe('a schema that the validator does not support', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['an unknown type', { type: 'strnig' }, /unsupported type/],
    ['a type that is deep inside', { properties: { a: { items: { type: 5 } } } }, /unsupported type/],
    ['a list as a subschema', { properties: { a: [] } }, /object or a boolean/],
    ['alternatives that are not a list', { anyOf: { type: 'string' } }, /object or a boolean/],
    ['no alternatives', { oneOf: [] }, /object or a boolean/],
    ['a pattern that is not valid', { pattern: '(' }, /unsupported pattern/],
    ['a long pattern', { pattern: 'a'.repeat(2049) }, /unsupported pattern/],
    ['a bound that is text', { maximum: '5' }, /unsupported maximum/],
    ['a negative count', { minItems: -1 }, /unsupported minItems/],
    ['a step of 0', { multipleOf: 0 }, /unsupported multipleOf/],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }, /target of each \$ref/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /target of each \$ref/],
    ['a reference to a prototype', { $ref: '#/constructor' }, /target of each \$ref/],
    ['a dynamic reference', { $dynamicRef: '#node' }, /unsupported \$dynamicRef/],
    ['an identifier that is not a URI', { $id: 'http://[' }, /valid identifiers/],
    ['a reference to itself', { $ref: '#' }, /checkable within 500 ms/],
    ['a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, /checkable/],
    ['exponential work', { $ref: '#/$defs/d0', $defs: { ...chain, d40: {} } }, /checkable/],
    [
      'exponential work below a property',
      { properties: { a: { $ref: '#/$defs/d0' } }, $defs: { ...chain, d40: {} } },
      /checkable/,
    ],
    ['a circle below a property', { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } }, /checkable/],
    [
      'a long name above many others',
      { properties: { ['a'.repeat(60_000)]: { properties: many(() => ({})) } } },
      /checkable/,
    ],
    ['a long identifier of many', { $id: `http://a/${'a'.repeat(60_000)}`, properties: many(() => ({})) }, /checkable/],
    ['many slow patterns', { properties: many((i) => ({ pattern: `[\\p{L}\\P{L}]{${i},}` })) }, /checkable/],
    ['6,000 subschemas', { anyOf: Array.from({ length: 6000 }, () => ({})) }, /at most 5000 subschemas/],
    ['200 KB', { enum: ['x'.repeat(200_000)] }, /at most 131072 bytes/],
  ])('returns 400 that names the problem: %s', async (_, schema, detail) => {
    const startedAt = performance.now();
    const error = await checkOf(schema).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'INVALID_FORMAT', field: { path }, message: expect.stringMatching(detail) });
    expect(performance.now() - startedAt).toBeLessThan(2500);
  });
});

describe('the check of a hostile schema or reply', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a pattern with exponential backtracking', { pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(40)}!`)],
    ['a pattern with polynomial backtracking', { pattern: 'a*a*a*a*b' }, JSON.stringify('a'.repeat(20_000))],
    ['a pattern of names', { patternProperties: { '^(a+)+$': {} } }, JSON.stringify({ [`${'a'.repeat(40)}!`]: 1 })],
    [
      'a list of 50,000 different items',
      { uniqueItems: true },
      JSON.stringify(Array.from({ length: 50_000 }, (_, i) => [i])),
    ],
    ['deep nesting', { items: { $ref: '#' } }, '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('ends within a bounded time: %s', async (_, schema, reply) => {
    const check = await checkOf(schema);
    const startedAt = performance.now();
    expect(check(reply)).toEqual({ problem: 'it cannot be checked within 500 ms', isUnchecked: true });
    expect(performance.now() - startedAt).toBeLessThan(2500);
  });

  it('accepts a schema with 32 levels', async () => {
    const check = await checkOf(deep(30) as Record<string, unknown>);
    expect(check('{}')?.problem).toBeUndefined();
  });
});

it('a schema of arbitrary JSON is rejected, or can check arbitrary JSON', async () => {
  const keywords = [
    'type',
    'items',
    'anyOf',
    'properties',
    '$ref',
    '$id',
    'pattern',
    'not',
    'enum',
    'required',
    '$defs',
  ];
  const schema = fc.dictionary(fc.oneof(fc.constantFrom(...keywords), fc.string()), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(schema, fc.jsonValue(), async (given, reply) => {
      const check = await checkOf(given).catch((error: unknown) => error);
      if (typeof check === 'function') check(JSON.stringify(reply));
      else expect(check).toMatchObject({ code: 'INVALID_FORMAT' });
    }),
    { numRuns: 300 },
  );
});

describe('a reply as a JSON object', () => {
  it.each([
    ['{"a":1}', undefined],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['"text"', 'it is not a JSON object'],
    ['{"a":', 'it is not JSON'],
  ])('is %s: %s', async (text, problem) => {
    const check = await outputCheck({ type: 'json_object' }, proved);
    expect(check(text)?.problem).toBe(problem);
  });
});
