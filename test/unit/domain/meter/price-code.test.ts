import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeOfModel,
  codeOfService,
  decimalCredits,
  fixedPrice,
  priceOfCode,
  pricePerStarted,
  priceView,
  unitPriceOfCode,
} from '#domain/meter/pricing.ts';

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('the code of a price', () => {
  it('decodes to the same model price, and contains no space', () => {
    const price = fc.record({
      perRequest: amount,
      input: amount,
      cachedInput: amount,
      cacheWrite: amount,
      output: amount,
    });
    fc.assert(
      fc.property(price, (given) => {
        const code = codeOfModel(given);
        expect(code).toMatch(/^[0-9a-z]+(\.[0-9a-z]+){4}$/);
        expect(priceOfCode(code)).toEqual(given);
      }),
    );
  });

  it('of a service is its credits per unit', () => {
    const code = codeOfService('embeddings');
    expect(priceView(code, 'embeddings')).toEqual({ credits: 1, unit: 'token', unitSize: 10_000 });
    expect(unitPriceOfCode(code)).toEqual({ micro: 1_000_000, unitSize: 10_000 });
  });

  it('shows the rates of a model as credits per request and per million tokens', () => {
    const code = codeOfModel({
      perRequest: 1000,
      input: 2_000_000,
      cachedInput: 500_000,
      cacheWrite: 2_000_000,
      output: 0,
    });
    const view = { perRequest: 0.001, input: 2, cachedInput: 0.5, cacheWrite: 2, output: 0 };
    expect(priceView(code, 'chat')).toEqual(view);
    expect(unitPriceOfCode(code)).toBeUndefined();
  });

  it.each(['', '1', '1.0', '1.2.3', '1.2.3.4.5.6', '1.-2', 'a b', '1.2.3.4.!'])('%j is unreadable', (code) => {
    expect(priceOfCode(code)).toBeUndefined();
  });
});

describe('credits as text', () => {
  it.each([
    [0, '0'],
    [1, '0.000001'],
    [100_100, '0.1001'],
    [1_000_000, '1'],
    [12_500_000, '12.5'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ])('%i microcredits are exactly %s', (micro, text) => {
    expect(decimalCredits(micro)).toBe(text);
  });
});

describe('a price', () => {
  it('is not fixed for a service that is charged by size, nor per started unit for one charged by the token', () => {
    expect(() => fixedPrice('embeddings')).toThrow('embeddings has no fixed price');
    expect(() => pricePerStarted('embeddings', 1)).toThrow('embeddings is metered to the single token');
  });
});
