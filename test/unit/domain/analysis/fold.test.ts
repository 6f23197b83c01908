import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folded } from '#domain/analysis/pii-text.ts';

const ascii = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))),
});

it('text of ASCII is folded as it is beside other text', () => {
  fc.assert(
    fc.property(ascii, (text) => {
      const [alone, beside] = [folded(text), folded(`${text}字`)];
      expect(`${alone.text}字`).toBe(beside.text);
      for (let at = 0; at < alone.text.length; at += 1)
        expect(alone.spanOf({ start: at, end: at + 1 })).toEqual(beside.spanOf({ start: at, end: at + 1 }));
    }),
  );
});
