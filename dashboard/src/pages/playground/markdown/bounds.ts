/**
 * What the library takes the square of its length for, or makes far more of than it is: such a text is shown as it came.
 * Nothing that people or models write for people comes near.
 */
const maxLength = 400_000;
/** Of a paragraph, a heading, a table's cell: emphasis is looked for from each sign on to the end. */
const maxInlineLength = 10_000;
const maxInlineSigns = 600;
export const maxBlocks = 4000;
/** Each row has as many cells as the first, however short it is. */
export const maxTableCells = 10_000;
const maxPipes = 60_000;
/** A line of dashes under a line of text is a heading, but all that follows is read first as the rows of a table: headings times characters. */
const maxUnderlined = 16_000_000;
const dashes = /^ {0,3}-+[ \t]*$/;

/** A line that begins 20 quotes and lists, for each of which the rest is read again. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/m;

/** True for a text whose blocks are not looked for. */
export function isTooHard(text: string): boolean {
  if (text.length > maxLength || tooDeep.test(text)) return true;
  const lines = text.split('\n');
  const underlined = lines.filter((line, index) => dashes.test(line) && lines[index - 1]?.trim()).length;
  if (underlined * text.length > maxUnderlined) return true;
  const pipes = lines.reduce((max, line) => Math.max(max, line.split('|').length - 1), 0);
  return pipes * lines.length > maxPipes;
}

/** True for the text of a block in which no emphasis, links or code are looked for. */
export const isTooHardInline = (text: string): boolean =>
  text.length > maxInlineLength || (text.match(/[*_~[\]<`]/g)?.length ?? 0) > maxInlineSigns;
