const headerBytes = 10;

/** The last two bytes of a tag's header have a flag of a footer, and after the flags four times seven bits of length (ID3v2.4, 3.1). */
const footerFlag = 0x10;

/**
 * A file from behind the ID3v2 tags that it begins with. How long it lasts is in none of them, and a parser of tags can be
 * kept at work for minutes by lists of a million names.
 */
export function afterTags(bytes: Uint8Array): Uint8Array {
  let at = 0;
  while (at + headerBytes <= bytes.length && isTag(bytes, at)) {
    const [flags = 0, ...sizes] = bytes.subarray(at + 5, at + headerBytes);
    const length = sizes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    at += headerBytes + length + (flags & footerFlag ? headerBytes : 0);
  }
  return at === 0 ? bytes : bytes.subarray(Math.min(at, bytes.length));
}

const isTag = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33;
