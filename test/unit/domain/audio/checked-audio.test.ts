import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { SpeechFormat } from '#contract/audio/speech.ts';
import { uploadTypes } from '#contract/audio/transcription.ts';
import { checkedAudio, refuseUnknownType } from '#domain/audio/checked-audio.ts';
import { flac } from '#gateways/audio/audio-facts.ts';

async function* chunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + size);
    at += size;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

async function read(bytes: Buffer, format: SpeechFormat, sizes: readonly number[] = [1, 3, 9, 40]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of checkedAudio(chunks(bytes, sizes), format)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function wav(samples: Buffer, { length = samples.length, facts = 0 } = {}): Buffer {
  const head = Buffer.alloc(36 + (facts ? 8 + facts : 0) + 8);
  head.write('RIFF');
  head.writeUInt32LE(length === samples.length ? head.length - 8 + length : length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  if (facts) head.write('LIST', 36);
  if (facts) head.writeUInt32LE(facts, 40);
  head.write('data', head.length - 8);
  head.writeUInt32LE(length, head.length - 4);
  return Buffer.concat([head, samples]);
}

const invalid = { code: 'MODEL_ERROR' };

describe('model audio', () => {
  test('is passed through byte for byte if its header is correct, in any chunks', async () => {
    const samples = fc.uint8Array({ minLength: 1, maxLength: 3000 });
    const sizes = fc.array(fc.integer({ min: 1, max: 500 }));
    const property = fc.asyncProperty(samples, sizes, fc.nat(300), async (bytes, cuts, half) => {
      const file = wav(Buffer.from(bytes), { facts: 2 * half });
      expect(await read(Buffer.from(file), 'wav', cuts)).toEqual(file);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  test.each([0, 0xffff_ffff, 0x7fff_ffff])(
    'is sent with its true length if its header states the unknown length %d',
    async (length) => {
      const samples = Buffer.alloc(5000, 3);
      const file = await read(wav(samples, { length, facts: 26 }), 'wav');
      expect(file.readUInt32LE(4)).toBe(file.length - 8);
      expect(file.readUInt32LE(file.indexOf('data') + 4)).toBe(5000);
    },
  );

  test('is refused if it ends before its stated length', async () => {
    const file = wav(Buffer.alloc(5000));
    await expect(read(file.subarray(0, -1), 'wav')).rejects.toMatchObject(invalid);
  });

  /** 0.7 s of silence at 16 kHz, from a streaming encoder that cannot rewrite its header. */
  const streamedFlac = Buffer.from(
    '664c6143800000220480048000000000091503e800f00000000000000000000000000000000000000000fff8350800030000006a44' +
      'fff835080104000000063cfff83508020d000000b2b4fff83508030a000000deccfff83508041f0000005ba1fff83508051800000037d9' +
      'fff8350806110000008351fff835080716000000ef29fff83508083b000000098efff8750809033f4f0000002a3e',
    'hex',
  );

  test('in FLAC gets its sample count if the header has none, and is unchanged if the count is unknown', async () => {
    const file = await read(Buffer.from(streamedFlac), 'flac');
    expect([file.length, flac.facts(file).seconds]).toEqual([streamedFlac.length, 0.7]);
    expect(file.subarray(26)).toEqual(streamedFlac.subarray(26));
    expect(await read(Buffer.from(file), 'flac')).toEqual(file);
    const cut = streamedFlac.subarray(0, -1);
    expect(await read(Buffer.from(cut), 'flac')).toEqual(cut);
  });

  const beginnings: Readonly<Record<SpeechFormat, readonly string[]>> = {
    mp3: ['ID3\x04', '\xff\xfb\x90\x00', '\xff\xf3\x40\xc4'],
    opus: ['OggS\0'],
    aac: ['\xff\xf1\x50', 'ADIF', '\0\0\0\x20ftypM4A '],
    flac: ['fLaC\0'],
    wav: [],
    pcm: ['\0\0\0\0', '\xff\xfe'],
  };
  const formats = Object.keys(beginnings) as SpeechFormat[];

  test.each(formats)('in %s is recognized by its first bytes, and as no other format', async (format) => {
    const files = beginnings[format].map((head) => Buffer.from(head.padEnd(20, '\0'), 'latin1'));
    for (const file of files) {
      expect(await read(file, format)).toEqual(file);
      for (const other of formats) {
        const isOther = other !== format && other !== 'pcm' && format !== 'pcm';
        if (isOther) await expect(read(file, other), `${format} as ${other}`).rejects.toMatchObject(invalid);
      }
    }
    const noAudio = [
      '{"error":{"message":"no"}}',
      '{\n  "error": "no"\n}',
      '<html>no</html>',
      'Internal Server Error',
      '',
    ];
    for (const text of noAudio) await expect(read(Buffer.from(text), format)).rejects.toMatchObject(invalid);
  });
});

it('an upload with an unlisted media type is refused', () => {
  for (const type of uploadTypes) expect(() => refuseUnknownType(type)).not.toThrow();
  expect(() => refuseUnknownType('audio/midi')).toThrow(/must be a supported audio type/);
});
