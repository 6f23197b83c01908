import * as v from 'valibot';
import { text } from '../shared/fields.ts';

const maxCharacters = 254;

/** The characters of a dot-atom (RFC 5321), and those of a domain's label: any that is not ASCII may stand in one. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const letter = '[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]';
const label = `${letter}(?:(?:${letter}|-){0,61}${letter})?`;
const topLevel = `(?:[A-Za-z]{2,63}|[Xx][Nn]--[0-9A-Za-z-]{2,59}|${letter}*[^\\x00-\\x7f]${letter}*)`;
const address = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`);

const mailedDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})$/;

/**
 * An email address as people write it. A domain in other scripts is taken where it has an ASCII form; what is before
 * the @ must be ASCII, as SES takes nothing else.
 */
export const email = v.pipe(
  text(maxCharacters),
  v.check(isAsciiBeforeAt, 'must have only ASCII characters before the @'),
  v.regex(address, 'must be an email address'),
  v.check((value) => canonicalEmail(value) !== undefined, 'must have a domain that mail can be sent to'),
  v.metadata({ format: 'idn-email' }),
);

/** The form in which addresses are compared, stored and mailed: lower case, the domain in ASCII. Undefined where there is none. */
export function canonicalEmail(value: string): string | undefined {
  const at = value.lastIndexOf('@');
  // What a browser takes for a host has one ASCII form, by the same rules as a mail server's.
  const domain = URL.parse(`http://${value.slice(at + 1)}`)?.hostname ?? '';
  const canonical = `${value.slice(0, at).toLowerCase()}@${domain}`;
  return at > 0 && mailedDomain.test(domain) && canonical.length <= maxCharacters ? canonical : undefined;
}

function isAsciiBeforeAt(value: string): boolean {
  return /^\p{ASCII}*$/u.test(value.slice(0, Math.max(0, value.lastIndexOf('@'))));
}
