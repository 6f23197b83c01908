/** Where the samples of a WAV file begin, and how many bytes its header gives them. */
export interface WavHeader {
  readonly dataAt: number;
  readonly dataBytes: number;
}

/** Bytes of samples in a header that was written before they were: all that follow. */
export const unknownLength = Number.POSITIVE_INFINITY;

/** Of a chunk's name and length. */
const chunkHeaderBytes = 8;
const firstChunkAt = 12;

/** The header of a file that begins with these bytes (RIFF, "WAVE form"); undefined where it goes on beyond them. */
export function wavHeaderOf(head: Buffer): WavHeader | undefined {
  for (let at = firstChunkAt; at + chunkHeaderBytes <= head.length;) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    const dataAt = at + chunkHeaderBytes;
    // 0 and the largest numbers are what writers put who do not know it yet.
    if (name === 'data') return { dataAt, dataBytes: length === 0 || length >= 0x7fff_0000 ? unknownLength : length };
    at = dataAt + length + (length % 2);
  }
  return undefined;
}

/** The whole file with its true lengths. */
export function withLength(file: Buffer, { dataAt }: WavHeader): Buffer {
  file.writeUInt32LE(file.length - chunkHeaderBytes, 4);
  file.writeUInt32LE(file.length - dataAt, dataAt - 4);
  return file;
}
