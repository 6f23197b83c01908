/** Languages that code is written in, by their ids. */
export const titles = [
  ['curl', 'cURL'],
  ['python', 'Python'],
  ['javascript', 'JavaScript'],
  ['openai-python', 'OpenAI SDK (Python)'],
  ['openai-node', 'OpenAI SDK (Node)'],
  ['ai-sdk', 'AI SDK'],
] as const;

/** Code by the id of its language. */
export type CodeOf = Readonly<Partial<Record<(typeof titles)[number][0], string | undefined>>>;
