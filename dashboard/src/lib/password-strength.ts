import { isOfOwner, isPredictable } from '#contract/accounts/guessable-password.ts';

/** Whose password it is to be, as far as it is known. */
export interface Owner {
  readonly email: string;
  readonly name: string;
}

export interface Strength {
  /** 0 (too short) to 4. */
  readonly score: number;
  readonly word: string;
}

const words = ['Too short', 'Weak', 'Fair', 'Good', 'Strong'] as const;
const sequences = /(.)\1{2,}|0123|1234|2345|3456|4567|5678|6789|abcd|qwer|asdf|password|letmein/i;

/** A hint while typing: what the service refuses is too easy here too, but for the common passwords only it knows. */
export function passwordStrength(password: string, owner: Owner = { email: '', name: '' }): Strength {
  if (password.length < 8) return { score: 0, word: words[0] };
  if (isOfOwner(password, owner) || isPredictable(password)) return { score: 1, word: 'Too easy to guess' };
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const distinct = new Set(password).size;
  const points = [password.length >= 12, password.length >= 16, kinds >= 3, distinct >= 9];
  const penalty = (hasPersonal(password, owner) ? 2 : 0) + (sequences.test(password) ? 1 : 0);
  const score = Math.max(1, Math.min(4, 1 + points.filter(Boolean).length - penalty));
  return { score, word: words[score] ?? words[4] };
}

function hasPersonal(password: string, { email, name }: Owner): boolean {
  const parts = [email.split('@')[0] ?? '', name].map((part) => part.trim().toLowerCase());
  return parts.some((part) => part.length > 3 && password.toLowerCase().includes(part));
}
