import { describe, expect, it } from 'vitest';
import { idempotencyKeyOf } from '#middleware/validate.ts';

const keyOf = (...values: string[]) => idempotencyKeyOf({ multiValueHeaders: { 'Idempotency-Key': values } } as never);

describe('the Idempotency-Key header', () => {
  it('may be absent', () => {
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
  ])('with %j has the value %j', (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  const long = 'x'.repeat(256);
  const odd = ['', '""', long, `"${long}"`, '"open', '"a"b', 'a"b', '"\\a"', '"a\\"', 'a, b', '"a", "b"', '"a";b=1'];
  it.each([...odd, 'é', 'a\tb', 'a\n'])('with %j is refused', (value) => {
    expect(() => keyOf(value)).toThrow(/^The Idempotency-Key header /);
  });

  it('is refused if it is sent twice', () => {
    expect(() => keyOf('a', 'a')).toThrow(/^The Idempotency-Key header must be sent once/);
  });
});
