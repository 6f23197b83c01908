import { describe, expect, it } from 'vitest';
import { idempotencyKeyOf } from '#middleware/incoming.ts';

const keyOf = (...values: string[]) => idempotencyKeyOf({ multiValueHeaders: { 'Idempotency-Key': values } } as never);

describe('the Idempotency-Key header', () => {
  it('may be missing', () => {
    expect(keyOf()).toBeUndefined();
    expect(idempotencyKeyOf({ multiValueHeaders: null } as never)).toBeUndefined();
  });

  it.each([
    ['x', 'x'],
    ['"x"', 'x'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['a b', 'a b'],
    ['a\\b', 'a\\b'],
    ['"a, b"', 'a, b'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['~!#$%&', '~!#$%&'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('%j means %j', (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  it.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['a quote that stays open', '"open'],
    ['a quote that ends too early', '"a"b'],
    ['a quote inside', 'a"b'],
    ['an escape that is none', '"\\a"'],
    ['an escape at the end', '"a\\"'],
    ['a comma', 'a, b'],
    ['two strings', '"a", "b"'],
    ['a parameter', '"a";b=1'],
    ['a letter outside ASCII', 'é'],
    ['a control character', 'a\tb'],
    ['a line break', 'a\n'],
  ])('with %s is refused', (_, value) => {
    expect(() => keyOf(value)).toThrow(/^The Idempotency-Key header /);
  });

  it('that comes twice is refused', () => {
    expect(() => keyOf('a', 'a')).toThrow(/^The Idempotency-Key header must be sent once/);
  });
});
