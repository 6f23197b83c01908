import { UnitTable } from '../../../shared/text/unit-table.ts';
import type { Span } from '../../quotes/span.ts';

/** UTF-16 units behind the sign, and between quotation marks before it (RFC 5321, 4.5.3.1); others are as long as they are written. */
const maxDomain = 255;
const maxQuoted = 66;

/** Scripts whose words follow a name without a space: "写信到ada@example.org谢谢". */
const adjoining =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const localLetters = (letter: string): string => `${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-`;

/** An address is in other letters, or in those of all scripts. */
const kinds = [`[[\\p{L}\\p{M}\\p{N}]--[${adjoining}]]`, '[\\p{L}\\p{M}\\p{N}]'].map((letter) => ({
  // Looks back from the sign: each unit is read once, wherever the address begins.
  local: new RegExp(`(?<=(?<local>[${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-]+))`, 'vy'),
  character: new RegExp(`[${localLetters(letter)}]`, 'v'),
  domain: new RegExp(`^(?:${letter}[${letter}\\-]{0,62}\\.){1,20}${letter}[${letter}\\-]{1,62}`, 'v'),
}));

/** What a unit may be in an address of the first kind: a letter of its local part; nothing; half of a character, of which that is not known. */
const [inLocal, inNone, half] = [1, 2, 3];
const partOf = new UnitTable((unit) => {
  if (/\p{Cs}/u.test(unit)) return half;
  return kinds[0]?.character.test(unit) ? inLocal : inNone;
});

/** In ASCII alone, a domain of the first kind and what ends it. */
const asciiDomain = /^(?:[a-z\d][a-z\d-]{0,62}\.){1,20}[a-z\d][a-z\d-]{1,62}/i;
const notInAsciiDomain = /[^a-z\d.-]/i;

/** What is right behind a name's letters is no part of it: the mark of a footnote. */
const topLevel = /\.(?:xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)(?=[^.]*$)/iu;

const literal = /^\[(?:IPv6:)?[\da-f:.]{3,45}\]/i;

/** Addresses of mail, of any script. */
export function* emails(text: string): Generator<Span> {
  let before = 0;
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const local = quotedLocal(text.slice(Math.max(sign - maxQuoted, 0), sign)) ?? localOf(text, before, sign);
    before = sign + 1;
    const domain = local && domainOf(text.slice(sign + 1, sign + 1 + maxDomain));
    if (local && domain) yield { start: sign - local.length, end: sign + 1 + domain.length };
  }
}

/** What ends with a quotation mark, from the one before that is not escaped. */
function quotedLocal(before: string): string | undefined {
  if (!before.endsWith('"')) return undefined;
  let start = before.lastIndexOf('"', before.length - 2);
  while (start > 0 && before[start - 1] === '\\') start = before.lastIndexOf('"', start - 1);
  return start === -1 || before.length - start < 3 ? undefined : before.slice(start);
}

/** What stands right before the sign, from a place at the earliest. */
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

/** The longest beginning whose last part is a name: "example.org.2" has one that ends earlier. */
function named(domain: string | undefined): string | undefined {
  for (let rest = domain?.replace(/(?<!-)-+$/, ''); rest?.includes('.'); rest = rest.slice(0, rest.lastIndexOf('.'))) {
    const name = topLevel.exec(rest);
    if (name) return rest.slice(0, name.index + name[0].length);
  }
  return undefined;
}
