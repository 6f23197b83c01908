import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinPieces, pieceBuffer } from '../../../../../dashboard/src/pages/playground/exchange/pieces.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the chunks of a stream', () => {
  it('are rendered together: a thousand per second in fewer than 30 renders', async () => {
    const painted: string[] = [];
    const buffer = pieceBuffer((pieces) => painted.push(joinPieces(pieces).text));
    for (let piece = 0; piece < 1000; piece++) {
      buffer.add({ text: `${piece} ` });
      await vi.advanceTimersByTimeAsync(1);
    }
    buffer.end();
    expect(painted.join('')).toBe(Array.from({ length: 1000 }, (_, piece) => `${piece} `).join(''));
    expect(painted.length).toBeGreaterThan(10);
    expect(painted.length).toBeLessThan(30);
  });

  it('are rendered less often if a render is slow', async () => {
    let paints = 0;
    const buffer = pieceBuffer(() => {
      paints += 1;
      // A render takes 100 ms.
      vi.setSystemTime(Date.now() + 100);
      vi.advanceTimersByTime(0);
    });
    for (let ms = 0; ms < 3000; ms += 10) {
      buffer.add({ text: 'x' });
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(paints).toBeLessThan(80);
  });

  it('are all rendered once at the end', async () => {
    const painted: string[] = [];
    const buffer = pieceBuffer((pieces) => painted.push(joinPieces(pieces).text));
    buffer.add({ text: 'a' });
    buffer.add({ text: 'b' });
    buffer.end();
    buffer.end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(painted).toEqual(['ab']);
  });

  it('are joined by text, function call and finish reason', () => {
    expect(
      joinPieces([
        { text: 'a', call: { name: 'find' } },
        { text: 'b', call: { arguments: '{"x":' } },
        { text: '', call: { arguments: '1}' }, finishReason: 'function_call' },
        { text: '' },
      ]),
    ).toEqual({ text: 'ab', call: { name: 'find', arguments: '{"x":1}' }, finishReason: 'function_call' });
    expect(joinPieces([{ text: 'a' }])).toEqual({ text: 'a', finishReason: undefined });
  });
});
