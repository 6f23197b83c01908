/** Named references that models write; others stay as they are. */
const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['deg', '°'],
  ['plusmn', '±'],
  ['times', '×'],
  ['divide', '÷'],
  ['middot', '·'],
  ['bull', '•'],
  ['hellip', '…'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['larr', '←'],
  ['rarr', '→'],
  ['le', '≤'],
  ['ge', '≥'],
  ['ne', '≠'],
  ['euro', '€'],
]);

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi;

/** A text with its character references replaced, as Markdown has them outside of code. */
export const decodeEntities = (text: string): string =>
  text.replaceAll(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
  });

const isCharacter = (code: number): boolean => code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
const fromCodePoint = (code: number): string => String.fromCodePoint(isCharacter(code) ? code : 0xff_fd);
