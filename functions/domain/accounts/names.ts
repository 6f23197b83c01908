import { isName, withoutHidden } from '#contract/accounts/names.ts';

const maxCharacters = 64;

/** A name by the rule of names, of one that somebody else vouches for: cleaned, else the address stands for it. */
export function nameFor(email: string, name = ''): string {
  const cleaned = Array.from(withoutHidden(name)).slice(0, maxCharacters).join('').trim();
  const beforeAt = email.slice(0, email.lastIndexOf('@'));
  return [cleaned, beforeAt].find(isName) ?? 'Member';
}
