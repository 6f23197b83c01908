import type { APIGatewayProxyEvent } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minLiteralUnits } from '#domain/shared/text.ts';
import { jsonBytes } from '#gateways/sagemaker/runtime.ts';
import { jsonBody } from '#middleware/json-body.ts';
import { atLength } from '#test/many.ts';

const read = (body: string) => jsonBody({ body, isBase64Encoded: false } as APIGatewayProxyEvent).value;

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

const readWhole = (body: string) => jsonBody({ body, isBase64Encoded: false } as APIGatewayProxyEvent);

/** Short strings that stand for long ones, of which some contain what JSON escapes. */
const pieces = ['x', 'a"\\\n\u0001', '好', '😀'];
const mixedText = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.constantFrom(...pieces));
const mixedKey = fc.oneof(fc.constantFrom('0', '17', 'text', 'z'), mixedText);
const mixed = fc.dictionary(
  mixedKey,
  fc.oneof(mixedText, fc.array(mixedText, { maxLength: 3 }), fc.dictionary(mixedKey, mixedText, { maxKeys: 3 })),
  { maxKeys: 4, noNullPrototype: true },
);

function lengthened(value: unknown): unknown {
  if (typeof value === 'string') return pieces.includes(value) ? value.repeat(minLiteralUnits) : value;
  if (Array.isArray(value)) return value.map(lengthened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [lengthened(name), lengthened(inner)]));
}

/** Other clients escape every character beyond ASCII. */
const inAscii = (json: string): string => json.replaceAll(/[^\0-\x7f]/g, (unit) => escaped(unit).slice(1, -1));

const longTextsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return value.length >= minLiteralUnits ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longTextsIn) : [];
};

const keysIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysIn)]
    : [];

test('the literal of a long text is that of this text, whatever is beside it', () => {
  const property = fc.property(mixed, spaces, fc.boolean(), (body, space, isAscii) => {
    const text = JSON.stringify(lengthened(body), null, space);
    const { value, literals = new Map<string, string>() } = readWhole(isAscii ? inAscii(text) : text);
    for (const [long, literal] of literals) expect(JSON.parse(literal) === long).toBe(true);
    if (keysIn(value).some((name) => !/^(?:[a-z]|$)/.test(name))) return;
    expect(longTextsIn(value).every((long) => literals.has(long))).toBe(true);
  });
  fc.assert(property, { numRuns: atLength(40, 400) });
});

test('a request with literals reads like one without, and copies them', () => {
  const property = fc.property(mixed, mixed, fc.boolean(), (body, other, isAscii) => {
    const text = JSON.stringify(lengthened(body));
    const { value, literals } = readWhole(isAscii ? inAscii(text) : text);
    const request = { stop: ['"', '\ud800'], messages: [value, lengthened(other), value] };
    const sent = jsonBytes(request, literals).toString();
    expect(sent.length).toBeGreaterThan(0);
    expect(JSON.stringify(JSON.parse(sent)) === JSON.stringify(request)).toBe(true);
    for (const literal of literals?.values() ?? []) expect(sent.split(literal).length).toBeGreaterThan(2);
  });
  fc.assert(property, { numRuns: atLength(40, 400) });
});
