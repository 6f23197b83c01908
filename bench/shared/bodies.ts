/** Sizes of the prompts that are measured, in bytes. */
export const promptSizes = { '0.25 KB': 250, '4 KB': 4096, '64 KB': 65_536 } as const;
export type PromptSize = keyof typeof promptSizes;
export const allSizes = ['0.25 KB', '4 KB', '64 KB'] as const satisfies readonly PromptSize[];

const sentence = 'The quick brown fox jumps over the lazy dog, and nobody in the village has ever asked it why. ';

const reviews = {
  English:
    'I bought the Aurora 5 in Oslo. Its battery is superb, but the strap broke; write to Ada Lovelace at ada@example.com. ',
  Chinese: '我在 Oslo 买了 Aurora 5。电池非常好，但是表带坏了；请写信给 Ada Lovelace，地址是 ada@example.com。',
} as const;

/** An analysis of a review of so many characters, with personal data to find. */
export function analysisBody(characters: number, language: keyof typeof reviews = 'English'): string {
  const review = reviews[language];
  return JSON.stringify({
    text: review.repeat(Math.ceil(characters / review.length)).slice(0, characters),
    analyses: ['sentiment', 'entities', 'pii'],
  });
}

/** A chat whose body has about so many bytes. Only one model's context holds 64 KB, so all sizes are sent to it. */
export function chatBody(size: PromptSize, stream: boolean): string {
  const content = sentence.repeat(Math.ceil(promptSizes[size] / sentence.length)).slice(0, promptSizes[size] - 100);
  return JSON.stringify({ model: 'svc-1-32k', messages: [{ role: 'user', content }], max_tokens: 64, stream });
}
