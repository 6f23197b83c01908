import { describe, expect, it } from 'vitest';
import { assembledStream, textBody } from '#domain/requests/stored-content.ts';

describe('an assembled stream', () => {
  it('joins the pieces of each choice, including tool calls, and keeps the usage', () => {
    const chunk = (index: number, delta: object, finish_reason: string | null = null) => ({
      id: 'chat-1',
      choices: [{ index, delta, finish_reason }],
    });
    const call = (piece: object) => ({ tool_calls: [{ index: 1, ...piece }] });
    expect(
      assembledStream([
        chunk(0, { role: 'assistant', content: 'Hel' }),
        chunk(1, call({ id: 'call-1', type: 'function', function: { name: 'get', arguments: '{"a"' } })),
        chunk(0, { content: 'lo' }),
        chunk(1, call({ function: { arguments: ':1}' } })),
        chunk(0, {}, 'stop'),
        { id: 'chat-1', choices: [], usage: { prompt_tokens: 3 } },
      ]),
    ).toEqual({
      id: 'chat-1',
      usage: { prompt_tokens: 3 },
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
        {
          index: 1,
          message: {
            tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }],
          },
        },
      ],
    });
  });

  it('joins the content blocks of a message, including tool input', () => {
    const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece });
    const start = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
    expect(
      assembledStream([
        { type: 'message_start', message: { id: 'msg-1', usage: { input_tokens: 5 } } },
        start(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'Hel' }),
        delta(0, { type: 'text_delta', text: 'lo' }),
        start(1, { type: 'tool_use', id: 'toolu-1', input: {} }),
        delta(1, { type: 'input_json_delta', partial_json: '{"a"' }),
        delta(1, { type: 'input_json_delta', partial_json: ':1}' }),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      ]),
    ).toEqual({
      id: 'msg-1',
      usage: { input_tokens: 5, output_tokens: 7 },
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'toolu-1', input: '{"a":1}' },
      ],
    });
  });

  it('is the final response of the Responses API, or the text so far if it broke off', () => {
    const delta = (text: string) => ({ type: 'response.output_text.delta', delta: text });
    const done = { type: 'response.completed', response: { id: 'resp-1' } };
    expect(assembledStream([delta('Hel'), delta('lo'), done])).toEqual({ id: 'resp-1' });
    expect(assembledStream([delta('Hel'), delta('lo')])).toEqual({ text: 'Hello' });
  });

  it('does not change prototypes, whatever the names of its pieces', () => {
    const delta = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"name": "x"}, "content": "Hello"}');
    const { choices } = assembledStream([{ choices: [{ index: 0, delta }] }]) as { choices: object[] };
    expect(Object.prototype).not.toHaveProperty('polluted');
    expect(choices).toMatchObject([{ message: { content: 'Hello' } }]);
  });

  it('keeps the events of other formats', () => {
    expect(assembledStream([{ progress: 1 }, 'text'])).toEqual([{ progress: 1 }, 'text']);
    expect(assembledStream([])).toEqual([]);
  });
});

describe('a stored text', () => {
  it.each(['é', '€', '𝄞'])('of many %s is cut before the character that exceeds the limit', (character) => {
    const { text, bytes, isTruncated } = textBody('text/plain', `x${character.repeat(100_000 * 4)}`);
    expect(isTruncated).toBe(true);
    expect(bytes).toBe(1 + Buffer.byteLength(character) * 400_000);
    expect(text).toMatch(new RegExp(`^x${character}+$`, 'u'));
    const size = Buffer.byteLength(text ?? '');
    expect(size).toBeLessThanOrEqual(262_144);
    expect(size).toBeGreaterThan(262_144 - 4);
  });
});
