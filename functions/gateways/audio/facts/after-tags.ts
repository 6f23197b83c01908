/** Tolerance for a truncated last frame and for rounding. */
export const certainFactor = 1.01;

const headerBytes = 10;

/** The last two bytes of a tag's header have a flag of a footer, and after the flags four times seven bits of length (ID3v2.4, 3.1). */
const footerFlag = 0x10;

/**
 * A file from behind the ID3v2 tags that it begins with. How long it lasts is in none of them, and a parser of tags can be
 * kept at work for minutes by lists of a million names.
 */
export function afterTags(bytes: Uint8Array): Uint8Array {
  let rest = bytes;
  for (let length = tagLength(rest); length > 0; length = tagLength(rest)) rest = rest.subarray(length);
  return rest;
}

/** Bytes of the tag that a file begins with; 0 where it begins with none. */
export function tagLength(bytes: Uint8Array): number {
  if (bytes.length < headerBytes || !isTag(bytes)) return 0;
  const [flags = 0, ...sizes] = bytes.subarray(5, headerBytes);
  const length = sizes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return headerBytes + length + (flags & footerFlag ? headerBytes : 0);
}

const isTag = (bytes: Uint8Array): boolean => bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
