import { UnitTable } from '../../../shared/text/unit-table.ts';
import { isAscii } from './ascii.ts';
import { inPlace, type Placed, PlacedText } from './placed-text.ts';

const formats = /\p{Cf}/u;
const wide = /[\uff0b\uff0d-\uff1a\uff20-\uff3a\uff3f\uff41-\uff5a\ufe52\ufe6b]/;

/** Forms of full width that East Asian keyboards write addresses and numbers in; not their commas and stops, which end sentences. */
const piece =
  /(?<format>\p{Cf}+)|[\uff0b\uff0d-\uff1a\uff20-\uff3a\uff3f\uff41-\uff5a\ufe52\ufe6b]|[^\p{Cf}\uff0b\uff0d-\uff1a\uff20-\uff3a\uff3f\uff41-\uff5a\ufe52\ufe6b]+/gu;

/** Of a unit: what it makes of a text that has it. Halves of characters may be formats. */
const [asItIs, replaced, hidden, half] = [1, 2, 4, 8];
const traits = new UnitTable((unit) => {
  if (/\p{Cs}/u.test(unit)) return half;
  return formats.test(unit) ? hidden : wide.test(unit) ? replaced : asItIs;
});

/** A text as the rules read it: in ASCII's forms, without characters that show nothing, and once more with a space for them where there are any. */
export function plainTexts(text: string): Placed[] {
  if (isAscii(text)) return [inPlace(text)];
  const all = traits.anyOf(text);
  if (all & hidden || (all & half && formats.test(text))) return [plain(text, ''), plain(text, ' ')];
  return all & replaced ? [plain(text, '')] : [inPlace(text)];
}

function plain(text: string, format: string): Placed {
  const result = new PlacedText(text.length);
  for (const { 0: found, index, groups } of text.matchAll(piece)) {
    if (groups?.['format'] !== undefined) result.add(format, index, index + found.length);
    else result.addEach(/^[\ufe52\ufe6b\uff0b-\uff5a]$/u.test(found) ? found.normalize('NFKC') : found, index);
  }
  return result;
}
