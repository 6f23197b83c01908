import { cutText } from '../../inference/translation/text-parts.ts';

/** A part of a text, and where it begins in UTF-16 units. */
export interface Part {
  readonly text: string;
  readonly start: number;
}

/** A text in parts of at most `maxBytes` UTF-8 bytes, cut at the ends of sentences where it can be; blank ones are left out unless all are. */
export function partsOf(text: string, maxBytes: number): Part[] {
  if (Buffer.byteLength(text) <= maxBytes) return [{ text, start: 0 }];
  const parts: Part[] = [];
  let at = 0;
  for (const { before, text: part, after } of cutText(text, maxBytes)) {
    if (part !== '') parts.push({ text: part, start: at + before.length });
    at += before.length + part.length + after.length;
  }
  // White space has at most three bytes.
  return parts.length > 0 ? parts : [{ text: text.slice(0, Math.floor(maxBytes / 3)), start: 0 }];
}
