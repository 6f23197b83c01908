/** Limits on what a caller may send (design section 3, "Limits"). */
export const limits = {
  bodyBytes: 1024 * 1024,
  embeddingsBodyBytes: 5 * 1024 * 1024,
  jsonDepth: 32,
  messages: 2048,
  functions: 128,
  stopSequences: 4,
  embeddingTexts: 100,
  embeddingTokens: 8192,
  activeKeys: 50,
} as const;
