import type { APIGatewayProxyEvent } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBody } from '#middleware/json-body.ts';

const read = (body: string) => jsonBody({ body, isBase64Encoded: false } as APIGatewayProxyEvent);

const key = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__');
const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
const object = fc.dictionary(key, value, { noNullPrototype: true });
/** As other JSON writers produce it: with whitespace, and every character of a key escaped. */
const spaces = fc.constantFrom(0, 2, '\t');
const escaped = (name: string) =>
  `"${Array.from({ length: name.length }, (_, at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

test('a body is parsed like JSON.parse, for any strings', () => {
  const property = fc.property(object, spaces, (body, space) => {
    const text = JSON.stringify(body, null, space);
    fc.pre(!text.includes('__proto__'));
    expect(read(text)).toEqual(JSON.parse(text));
  });
  fc.assert(property, { numRuns: 500 });
});

test('a duplicate key in an object is refused, at any depth and in any spelling', () => {
  const property = fc.property(key, object, value, fc.boolean(), (twice, before, between, isEscaped) => {
    fc.pre(!JSON.stringify([before, between]).includes('__proto__'));
    const again = isEscaped ? escaped(twice) : JSON.stringify(twice);
    const inner = `{${JSON.stringify(twice)}:${JSON.stringify(between)},${again}:1}`;
    const text = `{"before":${JSON.stringify(before)},"list":[{},${inner}]}`;
    expect(() => read(text)).toThrow('twice in one object');
  });
  fc.assert(property, { numRuns: 500 });
});
