import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize } from '#local/sagemaker/words.ts';
import { invoke } from '#test/models/demo-engine.ts';

describe('embeddings', () => {
  const vectors = async (input: string | string[], more: object = {}) =>
    (await invoke({ input, ...more })).data.map(({ embedding }) => embedding as number[]);
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);

  it('are unit vectors of the requested size, one per text in order, and reproducible', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4096 }),
        async (input, dimensions) => {
          const reply = await invoke({ input, dimensions });
          expect(reply.data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
          for (const { embedding } of reply.data) {
            expect(embedding).toHaveLength(dimensions);
            expect(dot(embedding as number[], embedding as number[])).toBeCloseTo(1, 4);
          }
          expect((await invoke({ input, dimensions })).data).toEqual(reply.data);
          expect(reply.usage).toMatchObject({ completion_tokens: 0, total_tokens: reply.usage.prompt_tokens });
        },
      ),
      { numRuns: 40 },
    );
    expect((await vectors('hello'))[0]).toHaveLength(1536);
  });

  it('are closer for texts that share words or parts of words', async () => {
    const [cat, cats, dog, tax] = await vectors([
      'The cat sleeps on the warm sofa',
      'Cats are sleeping on sofas',
      'A dog barks at the cat near the sofa',
      'Quarterly tax filings are due on Monday',
    ]);
    expect(dot(cat!, cats!)).toBeGreaterThan(0.3);
    expect(dot(cat!, dog!)).toBeGreaterThan(dot(cat!, tax!) + 0.1);
    expect(Math.abs(dot(cat!, tax!))).toBeLessThan(0.2);
  });

  it('have the same values as little-endian floats in base64', async () => {
    const [plain] = await vectors('same', { dimensions: 8 });
    const [encoded] = (await invoke({ input: 'same', dimensions: 8, encoding_format: 'base64' })).data;
    const bytes = Buffer.from(encoded!.embedding as string, 'base64');
    expect(Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(plain);
  });
});

describe('tokens', () => {
  it('add up to the text, are never empty, and at most as many as its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const tokens = tokenize(text);
        expect(tokens.join('')).toBe(text);
        expect(tokens.every((token) => token !== '')).toBe(true);
        expect(tokens.length).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });
});
