import type { ContainerFamily } from '#contract/offer/offer.ts';

/** Families that generate text, with the model that each one runs. */
export const textFamilies = { vllm: 'svc-1', lmi: 'svc-instruct', tgi: 'svc-code' } as const;
export type TextFamily = keyof typeof textFamilies & ContainerFamily;
export type Kind = 'chat' | 'completion';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Bodies that no family would send as a reply. */
export const garbage: readonly (readonly [string, string | Buffer])[] = [
  ['an empty body', ''],
  ['blank lines', '\n\n \r\n'],
  ['HTML', '<!doctype html>\n<html><body>502 Bad Gateway</body></html>\n'],
  ['text', 'Internal Server Error'],
  ['a number', '5'],
  ['null', 'null'],
  ['a JSON string', '"Hello"'],
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['lists nested deep', nested(100_000)],
  ['JSON that is cut', '{"choices":[{"text":"Hello","message":{"content":"Hello'],
  ['bytes that are not UTF-8', Buffer.of(0xff, 0xfe, 0x7b, 0xc3, 0x28)],
  ['one line of 3 MB', `{"choices":"${'x'.repeat(3 * 2 ** 20)}`],
  ['choices of null', '{"choices":null}'],
  ['choices that are text', '{"choices":"Hello"}'],
  ['choices that are an object', '{"choices":{"0":{"text":"Hello","message":{"content":"Hello"}}}}'],
  ['a choice of null', '{"choices":[null]}'],
  ['a choice that is text', '{"choices":["Hello"]}'],
  ['choices nested deep', `{"choices":${nested(10_000)}}`],
];

const wrongTexts = [5, true, {}, { text: 'Hello' }, ['Hello'], [[['Hello']]]];
const wrongCalls = [
  'x',
  5,
  [5],
  [null],
  [{ function: null }],
  [{ function: 'f' }],
  [{ function: { name: 5, arguments: '{}' } }],
  [{ function: { name: ['f'], arguments: '{}' } }],
  [{ function: { name: 'f', arguments: 5 } }],
];
const wrongMessages = [
  5,
  'Hello',
  ['Hello'],
  [[['Hello']]],
  ...wrongTexts.map((content) => ({ role: 'assistant', content })),
  ...wrongCalls.map((tool_calls) => ({ role: 'assistant', content: 'Hello', tool_calls })),
];

const stop = { index: 0, finish_reason: 'stop' };

/** Whole replies with a wrong type at one field. */
export function wrongReplies(family: TextFamily, kind: Kind): readonly unknown[] {
  if (kind === 'chat') {
    const messages = [null, undefined, ...wrongMessages];
    return [
      ...messages.map((message) => ({ choices: [{ ...stop, message }] })),
      { choices: [{ ...stop, text: 'Hello' }] },
      { choices: [{ ...stop, finish_reason: 5, message: { content: 'Hello' } }] },
    ];
  }
  const texts = [null, undefined, ...wrongTexts];
  if (family === 'tgi') return [...texts.map((generated_text) => ({ generated_text })), [[{ generated_text: 'a' }]]];
  return [
    ...texts.map((text) => ({ choices: [{ ...stop, text }] })),
    { choices: [{ ...stop, message: { content: 'Hello' } }] },
    { choices: [{ ...stop, finish_reason: ['stop'], text: 'Hello' }] },
  ];
}

/** Stream events with a wrong type at one field, each with a finish reason. */
export function wrongEvents(family: TextFamily, kind: Kind): readonly unknown[] {
  if (kind === 'chat') {
    return [
      ...wrongMessages.map((delta) => ({ choices: [{ ...stop, delta }] })),
      { choices: [{ ...stop, text: 'Hello' }] },
      { choices: [{ ...stop, finish_reason: 5, delta: { content: 'Hello' } }] },
    ];
  }
  if (family === 'tgi') {
    const tokens = [null, undefined, 'Hello', ['Hello'], ...[null, ...wrongTexts].map((text) => ({ id: 1, text }))];
    return tokens.map((token) => ({ token, details: { finish_reason: 'eos_token', generated_tokens: 1 } }));
  }
  return [
    ...wrongTexts.map((text) => ({ choices: [{ ...stop, text }] })),
    { choices: [{ ...stop, delta: { content: 'Hello' } }] },
    { choices: [{ ...stop, finish_reason: ['stop'], text: 'Hello' }] },
  ];
}

/** A complete unstreamed reply of a family. */
export function wholeReplyOf(family: TextFamily, kind: Kind, text: string): unknown {
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  if (kind === 'chat')
    return { object: 'chat.completion', choices: [{ ...stop, message: { role: 'assistant', content: text } }], usage };
  if (family === 'tgi')
    return [{ generated_text: text, details: { finish_reason: 'eos_token', generated_tokens: 2, prefill: [1, 2, 3] } }];
  return { object: 'text_completion', choices: [{ ...stop, text }], usage };
}

/** An event of a family's stream as on the wire: a text piece, or the finish reason. */
export function eventOf(family: TextFamily, kind: Kind, text: string, reason: string | null = null): string {
  const event =
    kind === 'chat'
      ? { choices: [{ index: 0, delta: { content: text }, finish_reason: reason }] }
      : family === 'tgi'
        ? { token: { id: 1, text, special: false }, generated_text: null, details: reason && { finish_reason: reason } }
        : { choices: [{ index: 0, text, finish_reason: reason }] };
  return framed(family, event);
}

/** JSON lines, or server-sent events. */
export const framed = (family: TextFamily, event: unknown): string =>
  family === 'lmi' ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`;
