import type { SpeechFormat } from '#contract/audio/speech.ts';

/** Of `pcm`: 16 bits a sample, one channel. */
const rate = 24_000;
const sampleBytes = 2;

/** Speech as a browser plays it: `pcm` is samples alone, and is given the header of a WAV file (RIFF, "WAVE form"). */
export const playable = (file: Blob, format: SpeechFormat): Blob =>
  format === 'pcm' ? new Blob([wavHeader(file.size), file], { type: 'audio/wav' }) : file;

function wavHeader(bytes: number): ArrayBuffer {
  const header = new DataView(new ArrayBuffer(44));
  const write = (at: number, text: string): void =>
    Array.from(text).forEach((sign, index) => header.setUint8(at + index, sign.charCodeAt(0)));
  write(0, 'RIFF');
  header.setUint32(4, 36 + bytes, true);
  write(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * sampleBytes, true);
  header.setUint16(32, sampleBytes, true);
  header.setUint16(34, 8 * sampleBytes, true);
  write(36, 'data');
  header.setUint32(40, bytes, true);
  return header.buffer;
}
