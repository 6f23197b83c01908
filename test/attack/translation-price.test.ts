import { expect, it } from 'vitest';
import { findModel } from '#contract/inference/models.ts';
import { maxTranslationWords } from '#contract/inference/translation.ts';
import { countWords, translationService } from '#domain/inference/translation.ts';
import { codePoints } from '#domain/shared/text.ts';
import { hostilePieces, hostileText, randomOf } from '#test/attacks/hostile-texts.ts';
import { atLength, patience, seed } from '#test/many.ts';

/** The charge of a translation, and its number of model calls. */
async function translation(text: string) {
  let calls = 0;
  const reply = { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] };
  const gateway = {
    chat: () => ({
      prepare: () => undefined,
      async send() {
        calls += 1;
        return reply;
      },
    }),
  };
  const newDeadline = () => new AbortController().signal;
  const service = translationService(gateway, { model: findModel('svc-instruct', 'chat')!, newDeadline });
  const order = await service.order({ text, sourceLanguage: 'en', targetLanguage: 'fr' }, async () => undefined);
  await service.translate(order);
  return { calls, words: order.words };
}

/** Maximum number of model calls by words (docs/security.md). */
const maxCalls = (words: number): number => 1 + 0.8 * words;

it.each([
  ['a word and a megabyte of marks', `字${'!'.repeat(1_000_000)}`],
  ['a word and a megabyte of spaces', `a${' '.repeat(1_000_000)}b`],
  ['a word and a megabyte of line breaks', `字${'\n'.repeat(1_000_000)}字`],
  ['a word and zero widths', `字${'\u200b'.repeat(300_000)}`],
  ['a letter and its marks', `a${'\u0301'.repeat(500_000)}`],
  ['marks alone', '!'.repeat(1_000_000)],
])('%s exceed the word limit', async (_, text) => {
  expect(countWords(text)).toBeGreaterThan(maxTranslationWords);
  await expect(translation(text)).rejects.toMatchObject({ code: 'INVALID_FORMAT' });
});

it(
  `a text of n words has at most 100 n characters, and needs at most 1 + 0.8 n model calls (SEED=${seed})`,
  async () => {
    const random = randomOf(seed);
    const kinds = [...Object.keys(hostilePieces), 'all kinds'];
    for (let round = atLength(250, 20_000); round > 0; round -= 1) {
      const parts = Array.from({ length: 1 + random(4) }, () =>
        hostileText(kinds[random(kinds.length)] ?? '', 2 ** random(15), random),
      );
      const text = `字${parts.join(' a ')}`;
      const counted = countWords(text);
      expect(codePoints(text)).toBeLessThanOrEqual(100 * counted);
      if (counted > maxTranslationWords) continue;
      const { calls, words } = await translation(text);
      expect(words).toBe(counted);
      expect(calls).toBeLessThanOrEqual(maxCalls(words));
    }
  },
  patience,
);
