import { isIPv4, isIPv6 } from 'node:net';
import { type RulePiiType, rulePiiTypes } from '#contract/analysis/names.ts';
import { UnitTable } from '../shared/text.ts';
import { groupsIn, mayHaveOtherDigits, plainTexts, separator } from './pii-text.ts';
import type { Span } from './quotes.ts';

export interface RuleSpan extends Span {
  readonly type: RulePiiType;
}

export function ruleSpans(text: string, isPhoneNumber: IsPhoneNumber): RuleSpan[] {
  const plains = plainTexts(text);
  const found = plains.flatMap((plain) =>
    spansIn(plain.text, isPhoneNumber).map((span) => ({ ...span, ...plain.spanOf(span) })),
  );
  if (plains.length === 1) return found;
  return [...new Map(found.map((span) => [`${span.type} ${span.start} ${span.end}`, span])).values()];
}

function spansIn(text: string, isPhoneNumber: IsPhoneNumber): RuleSpan[] {
  const found: Readonly<Record<RulePiiType, Iterable<Span>>> = {
    EMAIL: emails(text),
    URL: urls(text),
    IP_ADDRESS: ipAddresses(text),
    IBAN: ibans(text),
    CREDIT_CARD: creditCards(text),
    PHONE: phones(text, isPhoneNumber),
  };
  return rulePiiTypes.flatMap((type) => Array.from(found[type], ({ start, end }) => ({ type, start, end })));
}

const [minCardDigits, maxCardDigits] = [13, 19];

const runOf = (digit: string, flags: string): RegExp =>
  new RegExp(String.raw`${digit}+(?:${separator}{1,3}${digit}+)*`, flags);
const run = runOf(String.raw`\p{Nd}`, 'gu');
const runOfAscii = runOf(String.raw`\d`, 'g');

export function* creditCards(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(mayHaveOtherDigits(text) ? run : runOfAscii)) {
    if (found.length < minCardDigits) continue;
    const groups = groupsIn(found, index, Number.POSITIVE_INFINITY);
    for (let first = 0; first < groups.length; first += 1) {
      let [digits, last] = ['', -1];
      for (let next = first; next < groups.length && digits.length <= maxCardDigits; next += 1) {
        digits += groups[next]?.digits ?? '';
        if (isCard(digits)) last = next;
      }
      if (last === -1) continue;
      yield { start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 };
      first = last;
    }
  }
}

const isCard = (digits: string): boolean =>
  digits.length >= minCardDigits && digits.length <= maxCardDigits && isLuhn(digits);

/** ISO/IEC 7812-1, annex B: every second digit from the right is doubled. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** UTF-16 units (RFC 5321, 4.5.3.1). Unquoted local parts are unlimited. */
const maxDomain = 255;
const maxQuoted = 66;

/** Scripts whose words adjoin a name without a space: "写信到ada@example.org谢谢". */
const adjoining =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const localLetters = (letter: string): string => `${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-`;

/** An address uses either letters of other scripts or any letters. */
const kinds = [`[[\\p{L}\\p{M}\\p{N}]--[${adjoining}]]`, '[\\p{L}\\p{M}\\p{N}]'].map((letter) => ({
  // Reads backward from the at sign, so that each unit is read once.
  local: new RegExp(`(?<=(?<local>[${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-]+))`, 'vy'),
  character: new RegExp(`[${localLetters(letter)}]`, 'v'),
  domain: new RegExp(`^(?:${letter}[${letter}\\-]{0,62}\\.){1,20}${letter}[${letter}\\-]{1,62}`, 'v'),
}));

/** Classes of UTF-16 units in an address of the first kind: part of a local part, other, surrogate. */
const [inLocal, inNone, half] = [1, 2, 3];
const partOf = new UnitTable((unit) => {
  if (/\p{Cs}/u.test(unit)) return half;
  return kinds[0]?.character.test(unit) ? inLocal : inNone;
});

/** Fast path for a domain of the first kind in ASCII. */
const asciiDomain = /^(?:[a-z\d][a-z\d-]{0,62}\.){1,20}[a-z\d][a-z\d-]{1,62}/i;
const notInAsciiDomain = /[^a-z\d.-]/i;

/** Excludes anything directly after the letters of the top-level domain, such as a footnote mark. */
const topLevel = /\.(?:xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)(?=[^.]*$)/iu;

const literal = /^\[(?:IPv6:)?[\da-f:.]{3,45}\]/i;

export function* emails(text: string): Generator<Span> {
  let before = 0;
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const local = quotedLocal(text.slice(Math.max(sign - maxQuoted, 0), sign)) ?? localOf(text, before, sign);
    before = sign + 1;
    const domain = local && domainOf(text.slice(sign + 1, sign + 1 + maxDomain));
    if (local && domain) yield { start: sign - local.length, end: sign + 1 + domain.length };
  }
}

function quotedLocal(before: string): string | undefined {
  if (!before.endsWith('"')) return undefined;
  let start = before.lastIndexOf('"', before.length - 2);
  while (start > 0 && before[start - 1] === '\\') start = before.lastIndexOf('"', start - 1);
  return start === -1 || before.length - start < 3 ? undefined : before.slice(start);
}

function localOf(text: string, from: number, sign: number): string | undefined {
  let start = sign;
  while (start > from && partOf.of(text.charCodeAt(start - 1)) === inLocal) start -= 1;
  const isRead = start === from || partOf.of(text.charCodeAt(start - 1)) === inNone;
  const local = isRead ? withoutDots(text.slice(start, sign)) : '';
  if (local !== '') return local;
  const before = text.slice(from, sign);
  for (const { local } of kinds) {
    local.lastIndex = before.length;
    const found = withoutDots(local.exec(before)?.groups?.['local'] ?? '');
    if (found) return found;
  }
  return undefined;
}

const withoutDots = (local: string): string => local.replace(/^\.+/, '');

function domainOf(after: string): string | undefined {
  if (after.startsWith('[')) return literal.exec(after)?.[0];
  const end = after.search(notInAsciiDomain);
  if (end === -1 || partOf.of(after.charCodeAt(end)) === inNone) {
    const found = named(asciiDomain.exec(after)?.[0]);
    if (found) return found;
  }
  for (const { domain } of kinds) {
    const found = named(domain.exec(after)?.[0]);
    if (found) return found;
  }
  return undefined;
}

/** Returns the longest prefix that ends with a top-level domain: "example.org.2" ends earlier. */
function named(domain: string | undefined): string | undefined {
  for (let rest = domain?.replace(/(?<!-)-+$/, ''); rest?.includes('.'); rest = rest.slice(0, rest.lastIndexOf('.'))) {
    const name = topLevel.exec(rest);
    if (name) return rest.slice(0, name.index + name[0].length);
  }
  return undefined;
}

/** Minimum and maximum length of an IBAN, including country code and check digits (ISO 13616). */
const [minIbanLength, maxIbanLength] = [15, 34];

/** Matches even directly after "IBAN". The lookahead keeps the lookbehind rare. */
const ibanCandidate = new RegExp(
  String.raw`(?=[a-z]{2}${separator}{0,3}\d)(?:(?<![\p{L}\p{N}])|(?<=IBAN))[a-z]{2}${separator}{0,3}\d{2}(?:${separator}{0,3}[a-z\d]){${minIbanLength - 4},${maxIbanLength - 4}}`,
  'giu',
);

function* ibans(text: string): Generator<Span> {
  ibanCandidate.lastIndex = 0;
  for (let found = ibanCandidate.exec(text); found; found = ibanCandidate.exec(text)) {
    const { 0: run, index } = found;
    const length = matchedLength(run, text.slice(index + run.length, index + run.length + 1));
    // A valid number may start within an invalid run.
    ibanCandidate.lastIndex = index + (length ?? 2);
    if (length !== undefined) yield { start: index, end: index + length };
  }
}

/** Returns the UTF-16 units of the longest valid prefix that ends at a word boundary. */
function matchedLength(run: string, after: string): number | undefined {
  let longest: number | undefined;
  let [characters, group] = ['', ''];
  for (let at = 0; at < run.length && characters.length < maxIbanLength; at += 1) {
    const character = run[at] ?? '';
    if (!isAlphanumeric(character)) {
      // Any other group of letters is a word after the number.
      if (/\D/.test(group) && group.length !== 4 && characters.length > 2) break;
      group = '';
      continue;
    }
    characters += character;
    group += character;
    if (characters.length < minIbanLength || isAlphanumeric(run[at + 1] ?? after)) continue;
    if (hasCheckDigits(characters.toUpperCase())) longest = at + 1;
  }
  return longest;
}

const isAlphanumeric = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** ISO 7064, MOD 97-10: moves the first four characters to the end; letters count from 10. */
function hasCheckDigits(account: string): boolean {
  let remainder = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

const dotted = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
/** The shortest address is "::1". */
const hexadecimal = /[\da-f:.]{3,}/gi;

const maxAddressLength = 45;

function* ipAddresses(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(dotted)) {
    if (isIPv4(found)) yield { start: index, end: index + found.length };
  }
  if (!text.includes(':')) return;
  for (const { 0: run, index } of text.matchAll(hexadecimal)) {
    const span = addressIn(run, index);
    if (span && !isWithinWord(text, span.start, span.end)) yield span;
  }
}

/**
 * Returns the longest valid address within a run of digits, letters, colons and dots. Two colons at either end may be
 * part of it.
 */
function addressIn(run: string, at: number): Span | undefined {
  const [first, last] = [run.search(/[^:.]/), run.replace(/(?<![:.])[:.]+$/, '').length];
  if (first === -1 || last - first > maxAddressLength || !run.includes(':')) return undefined;
  for (const start of run.startsWith('::', first - 2) && first > 1 ? [first - 2, first] : [first]) {
    for (const end of run.startsWith('::', last) ? [last + 2, last] : [last]) {
      if (isAddress(run.slice(start, end))) return { start: at + start, end: at + end };
    }
  }
  return undefined;
}

/** Two short parts without digits are probably a name in source code, such as "a::b". */
const isAddress = (text: string): boolean => isIPv6(text) && /\d|:[a-f]+:|[a-f]{4}/i.test(text);

const isWithinWord = (text: string, start: number, end: number): boolean =>
  /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(start - 2, 0), start)) || /^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));

export type IsPhoneNumber = (international: string) => boolean;

const [minPhoneDigits, maxPhoneDigits] = [7, 15];

const international = new RegExp(
  String.raw`(?:[+＋]|(?<!\p{Nd}[ -]?)00(?=[^\P{Nd}0]))(?:\p{Nd}|[()]|${separator}){6,64}`,
  'gu',
);

export const mayHavePhones = (text: string): boolean =>
  /[+＋]|\d{2}/.test(text) || (mayHaveOtherDigits(text) && /\p{Nd}{2}/u.test(text));

/** Finds phone numbers with a country code after `+` or `00`. Others depend on the caller's location. */
function* phones(text: string, isPhoneNumber: IsPhoneNumber): Generator<Span> {
  international.lastIndex = 0;
  for (let found = international.exec(text); found; found = international.exec(text)) {
    const { 0: run, index } = found;
    const prefix = run.startsWith('00') ? 2 : 1;
    const end = endOfNumber(run.slice(prefix), index + prefix, text, isPhoneNumber);
    international.lastIndex = end ?? index + prefix;
    if (end !== undefined) yield { start: index, end };
  }
}

function endOfNumber(run: string, at: number, text: string, isPhoneNumber: IsPhoneNumber): number | undefined {
  let digits = '';
  const ends: [end: number, digits: string][] = [];
  for (const group of groupsIn(run, at, maxPhoneDigits)) {
    digits += group.digits;
    if (digits.length > maxPhoneDigits) break;
    const next = text.slice(group.end, group.end + 2);
    if (digits.length >= minPhoneDigits && !/^\p{Nd}/u.test(next)) ends.push([group.end, digits]);
  }
  return ends.findLast(([, candidate]) => isPhoneNumber(`+${candidate}`))?.[0];
}

const character = String.raw`[^\s<>"'\x60{}|\\^[\]«»“”‘’、。，]`;

/** Brackets enclose IPv6 addresses and occur in pairs in queries. */
const urlCandidate = new RegExp(
  String.raw`(?<prefix>(?:https?|ftps?|wss?):\/\/|(?<![a-z\d])www\.)(?:${character}|\[${character}{0,99}\]|\{${character}{0,99}\})*`,
  'giu',
);

/** Punctuation of the surrounding sentence, unless the URL contains brackets: "…/River_(film)". */
const punctuation = { always: '.,;:!?', withoutBrackets: '.,;:!?)*_~-' } as const;

function* urls(text: string): Generator<Span> {
  for (const { 0: found, index, groups } of text.matchAll(urlCandidate)) {
    const ends = found.includes('(') ? punctuation.always : punctuation.withoutBrackets;
    let length = found.length;
    while (length > 0 && ends.includes(found[length - 1] ?? '')) length -= 1;
    const rest = found.slice(groups?.['prefix']?.length ?? 0, length);
    if (/[\p{L}\p{N}\]]/u.test(rest)) yield { start: index, end: index + length };
  }
}
