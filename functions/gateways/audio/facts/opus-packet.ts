/** Milliseconds of a frame by the configuration of its packet: of SILK, of the hybrid, and of CELT (RFC 6716, table 2). */
const silk = [10, 20, 40, 60];
const hybrid = [10, 20];
const celt = [2.5, 5, 10, 20];
const maxPacketMs = 120;

/** Seconds that a packet of Opus lasts, by its first two bytes; 0 for a header (RFC 7845, 5) or nothing. */
export function opusPacketSeconds(packet: Uint8Array): number {
  const [first, second = 0] = packet;
  if (first === undefined || isHeader(packet)) return 0;
  const configuration = first >> 3;
  const frameMs =
    (configuration < 12
      ? silk[configuration % 4]
      : configuration < 16
        ? hybrid[configuration % 2]
        : celt[configuration % 4]) ?? 0;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? second & 0x3f : 2;
  return Math.min(frames * frameMs, maxPacketMs) / 1000;
}

const isHeader = (packet: Uint8Array): boolean =>
  ['OpusHead', 'OpusTags'].includes(
    Buffer.from(packet.buffer, packet.byteOffset, Math.min(8, packet.length)).toString(),
  );
