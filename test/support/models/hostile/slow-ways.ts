/**
 * Slow reference implementations for the fast rules of personal data: one expression per rule, and one letter at a
 * time.
 */
const ignored = String.raw`[\p{Cf}\p{Default_Ignorable_Code_Point}]`;
const pieces = new RegExp(
  String.raw`(?<ignored>${ignored}+)|(?<space>[\s\p{Z}\p{Cc}](?:[\s\p{Z}\p{Cc}]|${ignored})*)|[^]\p{M}{0,30}`,
  'gu',
);

/** The pieces of a text with their folded forms and positions. */
export function foldedPieces(text: string): { fold: string; start: number; end: number }[] {
  return Array.from(text.matchAll(pieces), ({ 0: piece, index, groups }) => {
    const fold = groups?.['ignored'] === undefined ? (groups?.['space'] === undefined ? foldedLetter(piece) : ' ') : '';
    return { fold, start: index, end: index + piece.length };
  });
}

const foldedLetter = (letter: string): string =>
  letter
    .replaceAll(/[`´‘’‚‛′‵ʹʻʼʽˈ＇]/gu, "'")
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i');

const adjoining =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const kinds = [`[[\\p{L}\\p{M}\\p{N}]--[${adjoining}]]`, '[\\p{L}\\p{M}\\p{N}]'].map((letter) => ({
  local: new RegExp(`[${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-]+$`, 'v'),
  domain: new RegExp(`^(?:${letter}[${letter}\\-]{0,62}\\.){1,20}${letter}[${letter}\\-]{1,62}`, 'v'),
}));

/** The local part before an at sign and the longest possible domains after it. */
export function mailParts(before: string, after: string): { local: string; domains: string[] } {
  const locals = kinds.map(({ local }) => local.exec(before)?.[0]?.replace(/^\.+/, ''));
  return {
    local: locals.find(Boolean) ?? '',
    domains: kinds.flatMap(({ domain }) => domain.exec(after.slice(0, 255))?.[0] ?? []),
  };
}
