import type { Span } from '../span.ts';

/** UTF-16 units before and behind the sign (RFC 5321, 4.5.3.1). */
const maxLocal = 64;
const maxDomain = 255;

/** Scripts whose words follow a name without a space: "写信到ada@example.org谢谢". */
const adjoining =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

/** An address is in other letters, or in those of all scripts. */
const kinds = [`[[\\p{L}\\p{M}\\p{N}]--[${adjoining}]]`, '[\\p{L}\\p{M}\\p{N}]'].map((letter) => ({
  // Looks back from the sign: each unit is read once, wherever the address begins.
  local: new RegExp(`(?<=(?<local>[${letter}.!#$%\\&'*+\\/=?^_\`\\{\\|\\}~\\-]{1,64}))`, 'vy'),
  domain: new RegExp(`^(?:${letter}[${letter}\\-]{0,62}\\.){1,20}${letter}[${letter}\\-]{1,62}`, 'v'),
}));

const topLevel = /\.(?:\p{L}[\p{L}\p{M}]+|xn--[a-z0-9-]+)$/iu;

/** Addresses of mail, of any script. */
export function* emails(text: string): Generator<Span> {
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const local = localOf(text.slice(Math.max(sign - maxLocal, 0), sign));
    const domain = local && domainOf(text.slice(sign + 1, sign + 1 + maxDomain));
    if (local && domain) yield { start: sign - local.length, end: sign + 1 + domain.length };
  }
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
  for (const { domain } of kinds) {
    const found = named(domain.exec(after)?.[0]);
    if (found) return found;
  }
  return undefined;
}

/** The longest beginning whose last part is a name: "example.org.2" has one that ends earlier. */
function named(domain: string | undefined): string | undefined {
  for (let rest = domain?.replace(/-+$/, ''); rest?.includes('.'); rest = rest.slice(0, rest.lastIndexOf('.'))) {
    if (topLevel.test(rest)) return rest;
  }
  return undefined;
}
