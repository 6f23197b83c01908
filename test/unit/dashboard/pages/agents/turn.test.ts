import { describe, expect, it } from 'vitest';
import { extendTurn, pendingTurn, readChunk } from '../../../../../dashboard/src/pages/agents/turn.ts';

const context = { window: 4096, used: 20, droppedMessages: 0, summarized: false };
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

describe('a turn that is streamed', () => {
  it('is put together from its pieces, text and the call of a function', () => {
    const deltas = [
      { role: 'assistant', content: 'Let me ' },
      { content: 'look.' },
      { function_call: { name: 'find_weather' } },
      { function_call: { arguments: '{"city":' } },
      { function_call: { arguments: '"Oslo"}' } },
    ];
    const turn = deltas.reduce(
      (before, delta) => {
        const chunk = readChunk({ delta });
        return 'piece' in chunk ? extendTurn(before, chunk.piece) : before;
      },
      pendingTurn({ content: 'Hello' }, 4),
    );
    expect(turn).toEqual({
      sent: { content: 'Hello' },
      before: 4,
      text: 'Let me look.',
      call: { name: 'find_weather', arguments: '{"city":"Oslo"}' },
    });
  });

  it('ends with all about it but its text', () => {
    const last = {
      id: 'msg_0000000001',
      status: 'completed',
      sources: [],
      context,
      credits: 1,
      usage,
      message: { role: 'assistant' },
    };
    expect(readChunk(last)).toEqual({ turn: last });
  });

  it.each([{}, { delta: 'text' }, { id: 'msg_0000000001' }, null])('is not read from %j', (data) => {
    expect(() => readChunk(data)).toThrow(/^Invalid/);
  });
});
