/** Offsets in the identification header: the rate, and the two block sizes as powers of two (Vorbis I, 4.2.2). */
const rateAt = 12;
const blocksAt = 28;

const setupType = 5;

/** Maximum modes in a setup header (Vorbis I, 4.2.4). */
const maxModes = 64;
/** Bits of a mode: its block flag, window, transform and mapping. */
const modeBits = 41;

/** Seconds of consecutive packets of a Vorbis stream. Until the setup header is read, every block counts as short. */
export class VorbisPackets {
  readonly rate: number;
  readonly #blocks: readonly [short: number, long: number];
  #longModes: readonly boolean[] = [];
  #before = 0;

  constructor(identification: Uint8Array) {
    const view = new DataView(identification.buffer, identification.byteOffset, identification.byteLength);
    this.rate = view.byteLength >= rateAt + 4 ? view.getUint32(rateAt, true) : 0;
    const sizes = identification[blocksAt] ?? 0;
    this.#blocks = [2 ** (sizes & 0x0f), 2 ** (sizes >> 4)];
  }

  /** Seconds that a packet adds. For an audio packet the first byte is enough. */
  seconds(packet: Uint8Array): number {
    const first = packet[0] ?? 1;
    if (first === setupType) this.#longModes = longModesOf(packet);
    if ((first & 1) === 1) return 0;
    const modes = this.#longModes.length;
    const mode = modes > 1 ? (first >> 1) & (2 ** Math.ceil(Math.log2(modes)) - 1) : 0;
    const block = this.#blocks[this.#longModes[mode] ? 1 : 0];
    // A block overlaps the one before it by a quarter of each (Vorbis I, 1.3.2).
    const samples = this.#before === 0 ? 0 : (this.#before + block) / 4;
    this.#before = block;
    return this.rate > 0 ? samples / this.rate : 0;
  }
}

/**
 * Which modes have long blocks. The modes are at the end of the setup header, so they are read backwards: each contains
 * 32 zero bits, and their number precedes the first.
 */
function longModesOf(setup: Uint8Array): boolean[] {
  let end = 8 * setup.length - 1;
  const bit = (at: number): number => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  // The last set bit is the framing flag.
  while (end > 0 && bit(end) === 0) end -= 1;
  const value = (at: number, bits: number): number => {
    let sum = 0;
    for (let index = bits - 1; index >= 0; index -= 1) sum = sum * 2 + bit(at + index);
    return sum;
  };
  const modes: boolean[] = [];
  let found: boolean[] = [];
  for (let at = end - modeBits; at >= 6 && modes.length < maxModes; at -= modeBits) {
    if (value(at + 1, 32) !== 0 || value(at + 33, 8) >= maxModes) break;
    modes.unshift(bit(at) === 1);
    if (value(at - 6, 6) + 1 === modes.length) found = [...modes];
  }
  return found;
}
