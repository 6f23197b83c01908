import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ModelChunk } from '#domain/inference/model-stream.ts';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { modelChunks, stoppedChunks } from '#gateways/sagemaker/model-chunks.ts';
import { tgi } from '#gateways/sagemaker/tgi.ts';
import { lmi, vllm } from '#gateways/sagemaker/vllm.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2 };
const chunkOf = (content: string, finish_reason: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }], usage: null });
const last = JSON.stringify({ choices: [], usage });
const token = (text: string, details: object | null = null) =>
  JSON.stringify({ token: { id: 1, text, special: false }, generated_text: details && 'x', details });

const events = (...data: string[]): string => data.map((each) => `data: ${each}\n\n`).join('');

/** The same response in the stream format of each family. */
const wires = [
  ['vllm', vllm.chat!.chunk, `: ping\n\n${events(chunkOf('Zü'), chunkOf('rich 🎉', 'stop'), last, '[DONE]')}`],
  [
    'vllm with the line ends of Windows and a byte order mark',
    vllm.chat!.chunk,
    `\uFEFF${events(chunkOf('Zü'), chunkOf('rich 🎉', 'stop'), last).replaceAll('\n', '\r\n')}`,
  ],
  ['lmi', lmi.chat!.chunk, `${chunkOf('Zü')}\n${chunkOf('rich 🎉', 'eos_token')}\n${last}\n\n`],
  [
    'tgi',
    tgi.chat!.chunk,
    events(chunkOf('Zü'), chunkOf('rich 🎉', 'stop'), last, '[DONE]').replaceAll('data: ', 'data:'),
  ],
  [
    'tgi on a completion',
    tgi.completion!.chunk,
    events(token('Zü'), token('rich 🎉', { finish_reason: 'eos_token', generated_tokens: 2, input_length: 3 })),
  ],
] as const;

async function collected(chunk: (event: unknown) => ModelChunk, parts: readonly Buffer[], stops: string[] = []) {
  async function* bytes() {
    yield* parts;
  }
  const limits = { deadline: new Deadline(1000), waitMs: 1000, maxBytes: 4e6 };
  const source = { model: 'svc-1', chunk, wholeChunk: chunk, parts: bytes, ...limits };
  return Array.fromAsync(stoppedChunks(source, stops));
}

const textOf = (chunks: readonly ModelChunk[]) =>
  chunks.flatMap(({ choices }) => choices.map(({ text, delta }) => text ?? delta?.content ?? '')).join('');

describe.each(wires)('a stream of %s', (_, chunk, wire) => {
  const bytes = Buffer.from(wire);

  it('has the same chunks wherever its bytes are cut', async () => {
    const whole = await collected(chunk, [bytes]);
    expect(textOf(whole)).toBe('Zürich 🎉');
    expect(whole.findLast((each) => each.usage)?.usage).toEqual(usage);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await collected(chunk, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    const single = Array.from(bytes, (byte) => Buffer.of(byte));
    expect(await collected(chunk, single)).toEqual(whole);
    const withEmpty = single.flatMap((byte) => [Buffer.alloc(0), byte]);
    expect(await collected(chunk, withEmpty)).toEqual(whole);
  });

  it('fails if it ends before its finish reason', async () => {
    const end = bytes.indexOf(Buffer.from('"finish_reason":"'));
    for (let at = 0; at < end; at += 1) {
      await expect(collected(chunk, [bytes.subarray(0, at)])).rejects.toMatchObject({ code: 'MODEL_ERROR' });
    }
  });

  it('is cut at a stop sequence that spans two chunks, and still reports its usage', async () => {
    const chunks = await collected(chunk, [bytes], ['üri', 'never']);
    expect(textOf(chunks)).toBe('Z');
    expect(chunks.flatMap(({ choices }) => choices).at(-1)?.finish_reason).toBe('stop');
    expect(chunks.findLast((each) => each.usage)?.usage).toEqual(usage);
    expect(textOf(await collected(chunk, [bytes], ['🎉🎉']))).toBe('Zürich 🎉');
  });
});

describe('a model stream', () => {
  const { chunk } = vllm.chat!;

  it('passes on held-back text if it ends with [DONE] alone', async () => {
    const wire = Buffer.from(events(chunkOf('to be'), '[DONE]'));
    expect(textOf(await collected(chunk, [wire], ['be or']))).toBe('to be');
  });

  it('passes on its text before a call begins', async () => {
    const call = { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] } }] };
    const wire = events(chunkOf('to be'), JSON.stringify(call), chunkOf('', 'tool_calls'));
    const chunks = await collected(chunk, [Buffer.from(wire)], ['be or']);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    const pieces = deltas.map((delta) => (delta?.tool_calls ? 'call' : (delta?.content ?? '')));
    expect(pieces.filter(Boolean)).toEqual(['to ', 'be', 'call']);
  });

  it('times out if it sends only comments, but not if its consumer is slow', async () => {
    const hello = Buffer.from(`data: ${chunkOf('Hello')}\n\n`);
    async function* pings(deadline: Deadline) {
      yield hello;
      for (; !deadline.isOver; await sleep(5)) yield Buffer.from(': ping\n\n');
      throw new Error('the connection was closed');
    }
    const about = { model: 'svc-1', chunk, wholeChunk: chunk, waitMs: 100, maxBytes: 1e6 };
    const source = () => ({ ...about, deadline: new Deadline(5000) });
    const silent = modelChunks({ ...source(), parts: pings });
    expect(textOf([(await silent.next()).value])).toBe('Hello');
    await expect(silent.next()).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
    async function* quick() {
      yield* [hello, hello, Buffer.from(`data: ${chunkOf('', 'stop')}\n\n`)];
    }
    let chunks = 0;
    for await (const _ of modelChunks({ ...source(), parts: quick })) {
      chunks += 1;
      await sleep(150);
    }
    expect(chunks).toBe(3);
  });

  it('fails if a line never ends', async () => {
    const parts = Array.from({ length: 20 }, () => Buffer.alloc(64 * 1024, 'x'));
    await expect(collected(chunk, parts)).rejects.toMatchObject({ code: 'MODEL_ERROR', message: /line/ });
  });

  it.each([
    'data: {"choices":\n\n',
    `data: ${JSON.stringify({ choices: 'none' })}\n\n`,
    'data: {"choices":[{"delta":{"content":5}}]}\n\n',
  ])('fails with %j', async (wire) => {
    await expect(collected(chunk, [Buffer.from(wire)])).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  it.each([
    ['a finish reason of its own', `data: ${chunkOf('', 'stop')}\n\n`],
    ['no finish reason', 'data: [DONE]\n\n'],
  ])('replaces an incomplete character at its end with U+FFFD, with %s', async (_, end) => {
    const parts = ['a', '\ud83d', '\ude00', '\ud83d'].map((text) => Buffer.from(`data: ${chunkOf(text)}\n\n`));
    expect(textOf(await collected(chunk, [...parts, Buffer.from(end)]))).toBe('a😀\ufffd');
  });

  it('fails if it contains only a usage of 0', async () => {
    const none = JSON.stringify({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } });
    const wire = `data: ${none}\n\ndata: [DONE]\n\n`;
    await expect(collected(chunk, [Buffer.from(wire)])).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  it('fails if its JSON is indented endlessly', async () => {
    const line = Buffer.from(`  "x": "${'x'.repeat(1000)}",\n`);
    const parts = [Buffer.from('{\n'), ...Array.from({ length: 1200 }, () => line)];
    await expect(collected(chunk, parts)).rejects.toMatchObject({ code: 'MODEL_ERROR', message: /incomplete JSON/ });
  });

  it('ignores an invalid usage', async () => {
    for (const wrong of [{ prompt_tokens: 'many', completion_tokens: 1 }, { prompt_tokens: 5 }, 'much', [1]]) {
      const wire = `data: ${chunkOf('Hello', 'stop')}\n\ndata: ${JSON.stringify({ choices: [], usage: wrong })}\n\n`;
      const chunks = await collected(chunk, [Buffer.from(wire)]);
      expect([textOf(chunks), chunks.at(-1)?.usage]).toEqual(['Hello', null]);
    }
  });
});
