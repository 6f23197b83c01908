/** The mock model's fixed output: a reply of about 640 bytes, or 20 streamed words. */
const words =
  'A fox that jumps over a lazy dog every day does it, as far as anyone can tell, for the view beyond.'.split(' ');
export const chunkCount = 20;

/** Milliseconds between chunks. */
export const chunkGapMs = 5;

const about = { id: 'chatcmpl-00000000000000000000000000', created: 1_780_272_000, model: 'svc-1-32k' };
const usage = { prompt_tokens: 57, completion_tokens: 20, total_tokens: 77 };

const reply = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: Array.from({ length: 4 }, () => words.join(' ')).join(' ') },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});

/** The reply to a request with a JSON schema, which is an analysis of the review in bench/shared/load.ts. */
const analysisReply = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: JSON.stringify({
          sentiment: 'mixed',
          entities: [
            { text: 'Aurora 5', type: 'PRODUCT' },
            { text: 'Oslo', type: 'LOCATION' },
          ],
          pii: [{ text: 'Ada Lovelace', type: 'PERSON' }],
        }),
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});

export const wholeReply = (request: string): string => (request.includes('"json_schema"') ? analysisReply : reply);

export const events: readonly Buffer[] = [
  ...Array.from({ length: chunkCount }, (_, index) =>
    chunk({ delta: { content: `${words[index % words.length]} ` }, finish_reason: null }),
  ),
  chunk({ delta: {}, finish_reason: 'stop' }, { usage }),
  Buffer.from('data: [DONE]\n\n'),
];

function chunk(choice: object, more: object = {}): Buffer {
  const object = 'chat.completion.chunk';
  return Buffer.from(`data: ${JSON.stringify({ ...about, object, choices: [{ index: 0, ...choice }], ...more })}\n\n`);
}
