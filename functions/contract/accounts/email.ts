import * as v from 'valibot';
import { text } from '../shared/fields.ts';

const maxCharacters = 254;

/** Characters of a dot-atom (RFC 5321) and of a domain label. Labels may contain any non-ASCII character. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const letter = '[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]';
const label = `${letter}(?:(?:${letter}|-){0,61}${letter})?`;
const topLevel = `(?:[A-Za-z]{2,63}|[Xx][Nn]--[0-9A-Za-z-]{2,59}|${letter}*[^\\x00-\\x7f]${letter}*)`;
const address = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`);

const mailedDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})$/;

/**
 * An email address as entered. The domain may be internationalized if it has an ASCII form. The local part must be
 * ASCII, because SES accepts nothing else.
 */
export const email = v.pipe(
  text(maxCharacters),
  v.check(isAsciiBeforeAt, 'must contain only ASCII characters before the @'),
  v.regex(address, 'must be an email address'),
  v.check((value) => canonicalEmail(value) !== undefined, 'must have a domain that can receive email'),
  v.metadata({ format: 'idn-email' }),
);

/**
 * Returns the normalized address for comparison, storage and sending: lower case, with an ASCII domain. Undefined if
 * the domain has no ASCII form.
 */
export function canonicalEmail(value: string): string | undefined {
  const at = value.lastIndexOf('@');
  // URL parsing converts a host to ASCII by the rules that mail servers use.
  const domain = URL.parse(`http://${value.slice(at + 1)}`)?.hostname ?? '';
  const canonical = `${value.slice(0, at).toLowerCase()}@${domain}`;
  return at > 0 && mailedDomain.test(domain) && canonical.length <= maxCharacters ? canonical : undefined;
}

function isAsciiBeforeAt(value: string): boolean {
  return /^\p{ASCII}*$/u.test(value.slice(0, Math.max(0, value.lastIndexOf('@'))));
}
