import { expect, test, vi } from 'vitest';

test('a vocabulary that failed to load is loaded again for the next text', async () => {
  // Another test file may have loaded it.
  vi.resetModules();
  vi.doMock('gpt-tokenizer/bpeRanks/cl100k_base', () => {
    throw new Error('no file');
  });
  const { bpeTokenizer } = await import('#gateways/tokenizer.ts');
  await expect(bpeTokenizer.count('Hello world')).rejects.toThrow('when mocking a module');
  vi.doUnmock('gpt-tokenizer/bpeRanks/cl100k_base');
  expect(await bpeTokenizer.count('Hello world')).toBe(2);
});
