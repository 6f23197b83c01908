import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelPrice } from '#contract/offer/offer.ts';
import { modelTariff, tariffOfCode } from '#domain/inference/tariff.ts';
import { codeOfModel, secondPrice } from '#domain/meter/pricing.ts';
import { atLength } from '#test/many.ts';
import { priceByHand, type Rates } from '#test/meter/price-model.ts';

const rate = fc.oneof(fc.integer({ min: 0, max: 20_000_000 }), fc.integer({ min: 0, max: 5_000_000_000 }));
const price = fc.record<ModelPrice>({
  perRequest: fc.integer({ min: 0, max: 3_000_000 }),
  input: rate,
  cachedInput: rate,
  cacheWrite: rate,
  output: rate,
});
const tokens = fc.integer({ min: 0, max: 200_000 });

const exactly = (rates: ModelPrice): Rates => ({
  perRequest: BigInt(rates.perRequest),
  input: BigInt(rates.input),
  cachedInput: BigInt(rates.cachedInput),
  cacheWrite: BigInt(rates.cacheWrite),
  output: BigInt(rates.output),
});

describe('the price of a model by tokens', () => {
  it('charges each kind of token at its rate, rounded up once per call', () => {
    fc.assert(
      fc.property(price, tokens, tokens, tokens, tokens, (rates, plain, cached, written, output) => {
        const usage = {
          prompt_tokens: plain + cached + written,
          completion_tokens: output,
          cached_tokens: cached,
          cache_write_tokens: written,
        };
        const byHand = priceByHand(exactly(rates), { input: usage.prompt_tokens, cached, written, output });
        expect(BigInt(modelTariff(rates).cost(usage))).toBe(byHand);
      }),
      { numRuns: atLength(2000, 50_000) },
    );
  });

  it('is at most the maximum for the same tokens, however many are cached', () => {
    fc.assert(
      fc.property(price, tokens, tokens, tokens, tokens, (rates, plain, cached, written, output) => {
        const prompt_tokens = plain + cached + written;
        const tariff = modelTariff(rates);
        const usage = { prompt_tokens, completion_tokens: output, cached_tokens: cached, cache_write_tokens: written };
        expect(tariff.max(prompt_tokens, output)).toBeGreaterThanOrEqual(tariff.cost(usage));
      }),
      { numRuns: atLength(2000, 50_000) },
    );
  });

  it('lets a budget buy as much input and output as it covers, and no token more', () => {
    fc.assert(
      fc.property(price, fc.integer({ min: 0, max: 10 ** 12 }), tokens, (rates, budget, input) => {
        const tariff = modelTariff(rates);
        const most = tariff.inputWithin(budget);
        if (Number.isSafeInteger(most) && most >= 0) {
          expect(tariff.max(most, 0)).toBeLessThanOrEqual(budget);
          expect(tariff.max(most + 1, 0)).toBeGreaterThan(budget);
        }
        const output = tariff.outputWithin(budget, input);
        if (output < 0) expect(tariff.max(input, 0)).toBeGreaterThan(budget);
        else if (Number.isSafeInteger(output)) {
          expect(tariff.max(input, output)).toBeLessThanOrEqual(budget);
          expect(tariff.max(input, output + 1)).toBeGreaterThan(budget);
        }
      }),
      { numRuns: atLength(2000, 50_000) },
    );
  });
});

describe('the price of an earlier charge', () => {
  it('is that of its code, whatever the offer sells now', () => {
    fc.assert(
      fc.property(price, tokens, tokens, (rates, prompt_tokens, completion_tokens) => {
        const usage = { prompt_tokens, completion_tokens };
        expect(tariffOfCode(codeOfModel(rates))?.cost(usage)).toBe(modelTariff(rates).cost(usage));
      }),
    );
    // 3 microcredits per 2 tokens.
    expect(tariffOfCode('3.2')?.cost({ prompt_tokens: 5, completion_tokens: 0 })).toBe(8);
    expect(secondPrice('transcription', 4.2, { micro: 3, unitSize: 2 })).toBe(8);
  });

  it.each([undefined, '', '1.2.3'])('is unknown for the code %j', (code) => {
    expect(tariffOfCode(code)).toBeUndefined();
  });
});
