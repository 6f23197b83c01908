/** Places in a FLAC file, whose first block has its facts (RFC 9639, 8.2): samples of a block; and 36 bits of the number of all. */
const blockSizeAt = 8;
const samplesAt = 21;
/** Bytes in which these facts are. */
export const flacHeadBytes = 42;

/** A frame's header is checked by a byte, the frame by two (RFC 9639, 9.1.8 and 9.3). */
const headerCrc = { width: 8, polynomial: 0x07 } as const;
const frameCrc = { width: 16, polynomial: 0x80_05 } as const;

/** The last frame is not longer, nor sought at more places: both are far above what encoders make. */
const maxFrameBytes = 1024 * 1024;
const maxCandidates = 16;

/** Samples that the header of a file gives it; 0 where it was written before they were. */
export const samplesInHeader = (head: Buffer): number =>
  ((head[samplesAt] ?? 0) & 0x0f) * 2 ** 32 + head.readUInt32BE(samplesAt + 1);

/** The whole file with the number of its samples, by its last frame; as it is where that cannot be found. */
export function withSamples(file: Buffer): Buffer {
  const samples = samplesOf(file);
  if (samples === undefined) return file;
  file.writeUInt8(((file[samplesAt] ?? 0) & 0xf0) | Math.floor(samples / 2 ** 32), samplesAt);
  file.writeUInt32BE(samples % 2 ** 32, samplesAt + 1);
  return file;
}

function samplesOf(file: Buffer): number | undefined {
  const first = Math.max(flacHeadBytes, file.length - maxFrameBytes);
  let candidates = 0;
  for (
    let at = file.lastIndexOf(0xff);
    at >= first && candidates < maxCandidates;
    at = file.lastIndexOf(0xff, at - 1)
  ) {
    const header = flacFrameAt(file, at);
    if (!header) continue;
    candidates += 1;
    const end = file.length - 2;
    if (end <= at || crc(file.subarray(at, end), frameCrc) !== file.readUInt16BE(end)) continue;
    const before = header.isNumberOfFrame ? header.number * file.readUInt16BE(blockSizeAt) : header.number;
    return before + header.samples;
  }
  return undefined;
}

/**
 * Parses a frame header (RFC 9639, 9.1): the number of the frame or of its first sample, its samples, and the rate if
 * the header contains it beside its code. Undefined if no frame starts there. `kind` is equal for all frames of a
 * stream.
 */
export function flacFrameAt(file: Buffer, at: number) {
  const [sync = 0, kind = 0, sizes = 0, channels = 0] = [file[at], file[at + 1], file[at + 2], file[at + 3]];
  if (sync !== 0xff || (kind & 0xfe) !== 0xf8 || (channels & 1) === 1 || channels >= 0xb0) return undefined;
  const [size, rateCode] = [sizes >> 4, sizes & 0x0f];
  if (size === 0 || rateCode === 15) return undefined;
  const coded = codedNumber(file, at + 4);
  if (!coded) return undefined;
  const next = at + 4 + coded.bytes;
  const sizeBytes = size === 6 ? 1 : size === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  const crcAt = next + sizeBytes + rateBytes;
  if (crcAt >= file.length || crc(file.subarray(at, crcAt), headerCrc) !== file[crcAt]) return undefined;
  const samples = sizeBytes > 0 ? file.readUIntBE(next, sizeBytes) + 1 : blockSize(size);
  const rateUnit = rateCode === 12 ? 1000 : rateCode === 14 ? 10 : 1;
  return {
    isNumberOfFrame: kind === 0xf8,
    number: coded.value,
    samples,
    rateCode,
    rate: rateBytes > 0 ? file.readUIntBE(next + sizeBytes, rateBytes) * rateUnit : undefined,
    kind: (kind << 16) | (rateCode << 8) | (channels & 0x0e),
  };
}

function blockSize(code: number): number {
  if (code === 1) return 192;
  return code < 6 ? 576 * 2 ** (code - 2) : 256 * 2 ** (code - 8);
}

/** Up to 36 bits, coded as UTF-8 codes characters, of which it has a longer form. */
function codedNumber(file: Buffer, at: number): { readonly value: number; readonly bytes: number } | undefined {
  const lead = file[at] ?? 0xff;
  const bytes = Math.max(1, Math.clz32(~(lead << 24)));
  if (bytes > 7 || (lead >= 0x80 && bytes < 2)) return undefined;
  const rest = file.subarray(at + 1, at + bytes);
  if (rest.length < bytes - 1 || rest.some((byte) => (byte & 0xc0) !== 0x80)) return undefined;
  const value = lead < 0x80 ? lead : lead & (0x7f >> bytes);
  return { value: rest.reduce((sum, byte) => sum * 64 + (byte & 0x3f), value), bytes };
}

function crc(
  bytes: Uint8Array,
  { width, polynomial }: { readonly width: number; readonly polynomial: number },
): number {
  const top = 1 << (width - 1);
  const mask = 2 ** width - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) value = (value & top ? (value << 1) ^ polynomial : value << 1) & mask;
  }
  return value;
}
