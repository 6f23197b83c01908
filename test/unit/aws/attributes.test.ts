import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesOf, itemOf, valuesOf } from '#aws/attributes.ts';

const only = <T>(values: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

test('attributes are written and read as in the SDK', () => {
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
      expect(itemOf(text, new Set(Object.keys(theirs)))).toEqual(unmarshall(theirs));
      const names = Object.keys(theirs).filter((_, index) => index % 2 === 0);
      expect(itemOf(text, new Set(names))).toEqual(unmarshall(only(theirs, names)));
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test('binaries and sets of strings are read unchanged, and attributes of an unsupported type are refused', () => {
  const property = fc.property(fc.uint8Array(), (bytes) => {
    const { b } = valuesOf({ b: { B: Buffer.from(bytes).toString('base64') } });
    expect(Buffer.from(b as Uint8Array)).toEqual(Buffer.from(bytes));
  });
  fc.assert(property);
  const names = { SS: ['a', 'b'] };
  expect(valuesOf({ names })).toEqual(unmarshall({ names }));
  for (const odd of [{ NS: ['1'] }, {}, 5, null, { X: 1 }])
    expect(() => valuesOf({ odd: odd as Record<string, unknown> })).toThrow(TypeError);
  expect(() => valuesOf({ a: { N: '9007199254740993' } })).toThrow(RangeError);
});

test('an integer of 38 digits is written exactly', () => {
  const a = 10n ** 38n - 1n;
  expect(attributesOf({ a })).toEqual(marshall({ a }));
  expect(attributesOf({ a: -a })).toEqual(marshall({ a: -a }));
});

test('an attribute that cannot be written is refused', () => {
  for (const odd of [{ a: Number.NaN }, { a: new Date() }, { a: Symbol('one') }])
    expect(() => attributesOf(odd)).toThrow(TypeError);
});

test('a response without the item is undefined, and an invalid response is refused', () => {
  const wanted = new Set(['a']);
  for (const text of ['{}', ' { } ', '{"ConsumedCapacity":{}}']) expect(itemOf(text, wanted)).toBeUndefined();
  const attribute = (value: string) => `{"Attributes":{"a":${value}}}`;
  for (const number of ['9007199254740993', '1e300'])
    expect(() => itemOf(attribute(`{"N":"${number}"}`), wanted)).toThrow(RangeError);
  for (const odd of [attribute('{"NS":["1"]}'), attribute('{}'), attribute('{"L":[5]}')])
    expect(() => itemOf(odd, wanted)).toThrow(TypeError);
  for (const odd of ['null', '5', '[]', attribute('{"N":}')]) expect(() => itemOf(odd, wanted)).toThrow(SyntaxError);
  const whole = attribute('{"L":[{"S":"a\\"b"},{"BOOL":false},{"M":{"c":{"NULL":true}}}]}');
  expect(itemOf(whole, wanted)).toEqual({ a: ['a"b', false, { c: null }] });
  for (let length = 0; length < whole.length; length++)
    for (const names of [['a'], []]) expect(() => itemOf(whole.slice(0, length), new Set(names))).toThrow(SyntaxError);
});
