import { expect, test, vi } from 'vitest';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

test('a vocabulary that could not be loaded is loaded again for the next text', async () => {
  vi.doMock('gpt-tokenizer/bpeRanks/cl100k_base', () => {
    throw new Error('no file');
  });
  await expect(bpeTokenizer.count('Hello world')).rejects.toThrow('when mocking a module');
  vi.doUnmock('gpt-tokenizer/bpeRanks/cl100k_base');
  expect(await bpeTokenizer.count('Hello world')).toBe(2);
});
