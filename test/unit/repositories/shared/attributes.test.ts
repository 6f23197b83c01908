import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesOf, valuesOf } from '#repositories/shared/attributes.ts';
import { itemOf } from '#repositories/shared/item-reader.ts';
import { wanting } from '#test/database/wanted.ts';

const only = <T>(values: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

test('attributes are written and read as the SDK does it', () => {
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e9, max: 1e9 }),
  );
  const name = fc.string().filter((text) => text !== '__proto__');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      number,
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.array(tie('value')),
      fc.dictionary(name, tie('value'), { noNullPrototype: true }),
    ),
  }));
  const property = fc.property(
    fc.dictionary(name, value, { noNullPrototype: true }),
    fc.constantFrom(0, 2, '\t'),
    (item, space) => {
      const theirs = marshall(item, { removeUndefinedValues: true });
      expect(attributesOf(item)).toEqual(theirs);
      expect(valuesOf(JSON.parse(JSON.stringify(theirs)))).toEqual(unmarshall(theirs));
      const text = JSON.stringify({ Attributes: theirs }, null, space);
      expect(itemOf(text, wanting(Object.keys(theirs)))).toEqual(unmarshall(theirs));
      const names = Object.keys(theirs).filter((_, index) => index % 2 === 0);
      expect(itemOf(text, wanting(names))).toEqual(unmarshall(only(theirs, names)));
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test('bytes are read as they are, and what is read nowhere is refused', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const { b } = valuesOf({ b: { B: Buffer.from(bytes).toString('base64') } });
      expect(Buffer.from(b as Uint8Array)).toEqual(Buffer.from(bytes));
    }),
  );
  for (const odd of [{ SS: ['a'] }, {}, 5, null, { X: 1 }])
    expect(() => valuesOf({ odd: odd as Record<string, unknown> })).toThrow(TypeError);
  expect(() => valuesOf({ a: { N: '9007199254740993' } })).toThrow(RangeError);
});

test('what is no attribute is refused', () => {
  for (const odd of [{ a: Number.NaN }, { a: new Date() }, { a: 1n }])
    expect(() => attributesOf(odd)).toThrow(TypeError);
});

test('maps whose names are data are read as a Map, of the item itself only', () => {
  const item = { h: { 'a"\\é': 1, '\\': [true] }, s: { h: { a: null } } };
  const { h, s } = item;
  const text = JSON.stringify({ Attributes: marshall(item) });
  expect(itemOf(text, wanting(['h', 's'], ['h']))).toEqual({ h: new Map(Object.entries(h)), s });
});

test('a response without an item is read as none, and what is not an item is refused', () => {
  for (const text of ['{}', ' { } ']) expect(itemOf(text, wanting(['a']))).toBeUndefined();
  const attribute = (value: string) => `{"Attributes":{"a":${value}}}`;
  for (const number of ['9007199254740993', '1e300'])
    expect(() => itemOf(attribute(`{"N":"${number}"}`), wanting(['a']))).toThrow(RangeError);
  for (const foreign of [attribute('{"SS":["a"]}'), attribute('{"B":"YQ=="}'), '{"ConsumedCapacity":{}}'])
    expect(() => itemOf(foreign, wanting(['a']))).toThrow(TypeError);
  for (const odd of [attribute('{}'), attribute('{"S":"a","N":"1"}')])
    expect(() => itemOf(odd, wanting(['a']))).toThrow(SyntaxError);
  const whole = attribute('{"L":[{"S":"a\\"b"},{"BOOL":false},{"M":{"c":{"NULL":true}}}]}');
  expect(itemOf(whole, wanting(['a']))).toEqual({ a: ['a"b', false, { c: null }] });
  for (let length = 0; length < whole.length; length++)
    for (const names of [['a'], []]) expect(() => itemOf(whole.slice(0, length), wanting(names))).toThrow(SyntaxError);
});
