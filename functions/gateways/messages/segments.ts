import { SegmentedMessage } from 'sms-segments-calculator';
import type { CountSegments } from '#domain/messages/ports.ts';

/** UTF-16 units of a UCS-2 message, and of one of several segments (GSM 03.40, with a header of six bytes). */
const [single, partial] = [70, 67] as const;

/**
 * The library counts by graphemes, each of which it puts into one segment: what cannot be, as a letter may have more marks than a segment takes, counts
 * by its units.
 */
export const countSegments: CountSegments = (text) => {
  const message = new SegmentedMessage(text);
  if (message.encodingName === 'GSM-7') return { segments: message.segmentsCount, encoding: 'GSM-7' };
  const needed = text.length <= single ? 1 : Math.ceil(text.length / partial);
  return { segments: Math.max(message.segmentsCount, needed), encoding: 'UCS-2' };
};
