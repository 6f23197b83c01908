export const joined = (...parts: readonly (Buffer | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

/**
 * A WAV file with 8 bits per sample and one channel. `length` is the sample length in its header, and `more` precedes
 * the samples.
 */
export function wavFile({ length = 1000, bytes = 1000, more = Buffer.alloc(0), rate = 8000 } = {}): Buffer {
  const head = Buffer.alloc(36);
  head.write('RIFF');
  head.writeUInt32LE(head.length + more.length + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  const data = Buffer.alloc(8);
  data.write('data');
  data.writeUInt32LE(length, 4);
  return Buffer.concat([head, more, data, Buffer.alloc(bytes, 128)]);
}

/** Seconds of silence as a WAV file with `rate` bytes per second. */
export const silence = (seconds: number, rate = 8000): Buffer =>
  wavFile({ length: seconds * rate, bytes: seconds * rate, rate });

/** AAC frames at 16 kHz, of `bytes` bytes each (ISO 13818-7, ADTS). */
export function adts(frames: number, bytes: number): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.set([0xff, 0xf1, 0x60, 0x80 | (bytes >> 11), (bytes >> 3) & 0xff, ((bytes & 7) << 5) | 0x1f, 0xfc]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}
