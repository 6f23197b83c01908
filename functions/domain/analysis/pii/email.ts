import type { Span } from '../span.ts';

/** UTF-16 units behind the sign, and between quotation marks before it (RFC 5321, 4.5.3.1); others are as long as they are written. */
const maxDomain = 255;
const maxQuoted = 66;

/** Scripts whose words follow a name without a space: "写信到ada@example.org谢谢". */
const adjoining =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

/** An address is in other letters, or in those of all scripts. */
const kinds = [`[[\\p{L}\\p{M}\\p{N}]--[${adjoining}]]`, '[\\p{L}\\p{M}\\p{N}]'].map((letter) => ({
  // Looks back from the sign: each unit is read once, wherever the address begins.
  local: new RegExp(`(?<=(?<local>[${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-]+))`, 'vy'),
  domain: new RegExp(`^(?:${letter}[${letter}\\-]{0,62}\\.){1,20}${letter}[${letter}\\-]{1,62}`, 'v'),
}));

/** What is right behind a name's letters is no part of it: the mark of a footnote. */
const topLevel = /\.(?:xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)(?=[^.]*$)/iu;

const literal = /^\[(?:IPv6:)?[\da-f:.]{3,45}\]/i;

/** Addresses of mail, of any script. */
export function* emails(text: string): Generator<Span> {
  let before = 0;
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const local = quotedLocal(text.slice(Math.max(sign - maxQuoted, 0), sign)) ?? localOf(text.slice(before, sign));
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

function localOf(before: string): string | undefined {
  for (const { local } of kinds) {
    local.lastIndex = before.length;
    const found = local.exec(before)?.groups?.['local']?.replace(/^\.+/, '');
    if (found) return found;
  }
  return undefined;
}

function domainOf(after: string): string | undefined {
  const address = literal.exec(after)?.[0];
  if (address) return address;
  for (const { domain } of kinds) {
    const found = named(domain.exec(after)?.[0]);
    if (found) return found;
  }
  return undefined;
}

/** The longest beginning whose last part is a name: "example.org.2" has one that ends earlier. */
function named(domain: string | undefined): string | undefined {
  for (let rest = domain?.replace(/-+$/, ''); rest?.includes('.'); rest = rest.slice(0, rest.lastIndexOf('.'))) {
    const name = topLevel.exec(rest);
    if (name) return rest.slice(0, name.index + name[0].length);
  }
  return undefined;
}
