import { sampleRate } from './flite.ts';
import { type Transcript, transcriptMark } from './transcript.ts';

/** Makes a file of samples that come in parts. */
export interface Encoder {
  /** Bytes that are ready with these samples. */
  add(samples: Int16Array): Uint8Array;
  /** The last bytes of the file, with what is spoken in it as metadata where the format has a place for it. */
  end(transcript: Transcript): Uint8Array;
}

export async function createEncoder(format: 'mp3' | 'wav' | 'pcm'): Promise<Encoder> {
  if (format === 'mp3') return createMp3();
  return format === 'wav' ? createWav() : { add: bytesOf, end: () => new Uint8Array() };
}

/** Kilobits a second: more than speech of one channel needs. */
const bitrate = 64;

async function createMp3(): Promise<Encoder> {
  const { createMp3Encoder } = await import('wasm-media-encoders');
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate, channels: 1, bitrate });
  // What the encoder gives is its own memory, and overwritten.
  return {
    add: (samples) => Uint8Array.from(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)])),
    end: (transcript) => Buffer.concat([Uint8Array.from(encoder.finalize()), appendedTag(transcript)]),
  };
}

/** Its header has the length of all that follows, so it is sent as a whole (RIFF, "WAVE form"). */
function createWav(): Encoder {
  const parts: Uint8Array[] = [];
  return {
    add(samples) {
      parts.push(bytesOf(samples));
      return new Uint8Array();
    },
    end(transcript) {
      const data = Buffer.concat(parts);
      const header = Buffer.alloc(44);
      header.write('RIFF', 0, 'latin1');
      const note = transcriptMark(transcript);
      const chunk = Buffer.alloc(8 + note.length + (note.length % 2));
      chunk.write('note', 0, 'latin1');
      chunk.writeUInt32LE(note.length, 4);
      note.copy(chunk, 8);
      header.writeUInt32LE(36 + data.length + chunk.length, 4);
      header.write('WAVEfmt ', 8, 'latin1');
      header.writeUInt32LE(16, 16);
      header.writeUInt16LE(1, 20);
      header.writeUInt16LE(1, 22);
      header.writeUInt32LE(sampleRate, 24);
      header.writeUInt32LE(2 * sampleRate, 28);
      header.writeUInt16LE(2, 32);
      header.writeUInt16LE(16, 34);
      header.write('data', 36, 'latin1');
      header.writeUInt32LE(data.length, 40);
      return Buffer.concat([header, data, chunk]);
    },
  };
}

function bytesOf(samples: Int16Array): Uint8Array {
  const bytes = Buffer.alloc(2 * samples.length);
  for (const [at, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * at);
  return bytes;
}

/** A tag at the end of a file that was sent while it was made (ID3v2.4, "Tag location": its footer is where readers look). */
function appendedTag(transcript: Transcript): Buffer {
  const value = transcriptMark(transcript);
  const content = Buffer.concat([Buffer.from([3]), Buffer.from('transcript\0'), value]);
  const frame = Buffer.concat([Buffer.from('TXXX'), sized(content.length), Buffer.alloc(2), content]);
  const fields = Buffer.concat([Buffer.from([4, 0, 0x10]), sized(frame.length)]);
  return Buffer.concat([Buffer.from('ID3'), fields, frame, Buffer.from('3DI'), fields]);
}

/** 28 bits in four bytes, none of which looks like a frame's beginning (ID3v2.4, "synchsafe"). */
const sized = (length: number): Buffer => Buffer.from([21, 14, 7, 0].map((bits) => (length >> bits) & 0x7f));
