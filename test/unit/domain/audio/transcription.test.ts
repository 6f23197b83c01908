import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deltasOf, transcriptionService } from '#domain/audio/transcription.ts';

const credit = 1_000_000;

interface Transcribed {
  readonly container?: string;
  readonly contentType?: string;
  readonly duration?: number;
}

function ordered(bytes: number, seconds: number, given: Transcribed = {}) {
  const { container = 'MPEG', contentType = '', duration } = given;
  const gateway = { transcribe: async () => ({ text: ' hi ', language: 'en', duration, segments: [], words: [] }) };
  const service = transcriptionService(gateway, async () => ({ container, seconds }));
  const file = { contentType, bytes: new Uint8Array(bytes) };
  const order = service.order({ model: 'svc-transcribe', file, segments: false, words: false });
  return { order, transcribed: async () => service.transcribe(await order) };
}

describe('the price of audio', () => {
  test.each([
    [0.01, 0.1],
    [1, 0.1],
    [1.01, 0.2],
    [60, 6],
    [3600, 360],
  ])('of %d s is %d credits, for each started second', async (seconds, credits) => {
    expect((await ordered(100, seconds).order).amount).toBe(Math.round(credits * credit));
  });

  test('is held for the longest duration that the bytes allow if the header states fewer seconds', async () => {
    const { amount, within } = await ordered(1_600_000, 1).order;
    expect(amount).toBe(10 * credit);
    expect((await within!(3 * credit))?.amount).toBe(3 * credit);
    expect(await within!(credit / 10 - 1)).toBeUndefined();
  });

  test('is that of the larger of our duration and the model’s', async () => {
    expect((await ordered(100, 10, { duration: 12.4 }).transcribed()).cost).toBe(1.3 * credit);
    expect((await ordered(100, 10, { duration: 2 }).transcribed()).cost).toBe(credit);
    expect((await ordered(1_600_000, 10, { duration: 12 }).transcribed()).cost).toBe(1.2 * credit);
  });

  test('is the whole hold if the model reports no duration', async () => {
    expect((await ordered(1_600_000, 10).transcribed()).cost).toBe(10 * credit);
  });

  test('is never displayed above the hold', async () => {
    const { body } = await ordered(100, 10, { duration: 12 }).transcribed();
    expect(body).toMatchObject({ text: 'hi', credits: 1, durationSeconds: 12 });
  });

  test('is 0 if the model reports many more seconds than the header, and the text is withheld', async () => {
    const { transcribed } = ordered(4 * 2 ** 20, 1, { container: 'FLAC', duration: 1000 });
    await expect(transcribed()).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: expect.stringContaining('is longer than its header'),
    });
  });
});

describe('a model reply', () => {
  test.each([100, 20_000])('is invalid if it claims a day for a file of %d bytes', async (bytes) => {
    const { transcribed } = ordered(bytes, 1, { duration: 86_400 });
    await expect(transcribed()).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  const replied = async (segments: { start: number; end: number; text: string }[], needed: boolean, text = 'hi') => {
    const gateway = { transcribe: async () => ({ text, duration: 1, segments, words: [] }) };
    const service = transcriptionService(gateway, async () => ({ container: 'MPEG', seconds: 1 }));
    const file = { contentType: '', bytes: new Uint8Array(100) };
    return service.transcribe(await service.order({ model: 'svc-transcribe', file, segments: needed, words: false }));
  };

  test('is invalid without segments if the request requires them', async () => {
    for (const segments of [[], [{ start: 0, end: 1, text: ' ' }]])
      await expect(replied(segments, true)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  test('is valid without segments if none were requested or nothing was spoken', async () => {
    expect((await replied([], false)).body.text).toBe('hi');
    expect((await replied([], true, ' ')).body.text).toBe('');
  });
});

const segmentsOf = (texts: readonly string[]) => texts.map((text) => ({ text }));

describe('the deltas of a streamed transcript', () => {
  test('are its segments, with the space before them', () => {
    const deltas = deltasOf('Good day.  How are you?', segmentsOf([' Good day. ', ' How are you?']));
    expect([...deltas]).toEqual(['Good day.', '  How are you?']);
  });

  test('add up to the text for any segments, and are at most 1,001', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.'), maxLength: 4000 });
    fc.assert(
      fc.property(
        text,
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ') }), { maxLength: 20 }),
        (all, any) => {
          for (const segments of [any, all.split(''), all.split('.')]) {
            const deltas = [...deltasOf(all, segmentsOf(segments))];
            expect(deltas.join('')).toBe(all);
            expect(deltas.length).toBeLessThanOrEqual(1001);
          }
        },
      ),
    );
  });

  test('are found in linear time if the model returns a segment for each of 4 million characters', () => {
    const cpuTimeOf = (length: number): number => {
      const text = 'ab'.repeat(length / 2);
      const segments = segmentsOf(text.split(''));
      const before = process.cpuUsage();
      expect([...deltasOf(text, segments)].length).toBeLessThanOrEqual(1001);
      return process.cpuUsage(before).user;
    };
    // 16 times the length takes 256 times as long if each segment searches the text.
    const short = Math.max(1000, cpuTimeOf(250_000));
    expect(cpuTimeOf(4_000_000) / short).toBeLessThan(100);
  });
});

describe('a streamed transcription', () => {
  const streamOf = async (transcribe: (signal?: AbortSignal) => Promise<{ text: string; duration: number }>) => {
    const gateway = {
      transcribe: async (_model: string, _request: unknown, signal?: AbortSignal) => ({
        ...(await transcribe(signal)),
        segments: [],
        words: [],
      }),
    };
    const service = transcriptionService(gateway, async () => ({ container: 'MPEG', seconds: 3 }));
    const file = { contentType: '', bytes: new Uint8Array(100) };
    const input = { model: 'svc-transcribe', file, segments: false, words: false, stream: true };
    return service.stream(await service.order(input));
  };

  test('ends with the text and its seconds, and costs what the whole response costs', async () => {
    const stream = await streamOf(async () => ({ text: 'Good day', duration: 3 }));
    const events = [];
    for (let next = await stream.next(); !next.done; next = await stream.next()) events.push(next.value);
    expect(events).toEqual([
      { type: 'transcript.text.delta', delta: 'Good day' },
      { type: 'transcript.text.done', text: 'Good day', usage: { type: 'duration', seconds: 3 } },
    ]);
    expect(await stream.cost()).toBe(0.3 * credit);
  });

  test('costs nothing if it is cancelled before the model replies, which aborts the model', async () => {
    const stream = await streamOf(
      (signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    );
    stream.cancel();
    await expect(stream.begun()).rejects.toThrow('aborted');
    expect(await stream.cost()).toBe(0);
  });
});

test.each([
  ['MPEG', 'audio/mpeg', true],
  ['MPEG', 'audio/mp3', true],
  ['MPEG', '', true],
  ['MPEG', 'application/octet-stream', true],
  ['WAVE', 'audio/x-wav; codecs=1', true],
  ['Ogg', 'audio/opus', true],
  ['EBML/webm', 'video/webm;codecs=opus', true],
  ['M4A/isom/iso2', 'audio/mp4', true],
  ['ADTS/MPEG-4', 'audio/aac', true],
  ['MPEG', 'audio/wav', false],
  ['WAVE', 'audio/mpeg', false],
  ['FLAC', 'text/html', false],
  ['AIFF', 'audio/aiff', false],
])('a file of %s with the media type %j is accepted: %j', async (container, contentType, isTaken) => {
  const { order } = ordered(100, 1, { container, contentType });
  if (isTaken) await expect(order).resolves.toMatchObject({ amount: credit / 10 });
  else await expect(order).rejects.toMatchObject({ code: 'INVALID_FORMAT' });
});
