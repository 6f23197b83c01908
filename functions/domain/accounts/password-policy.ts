import { ServiceError } from '../service-error.ts';
import type { Account } from './account.ts';

/** Passwords that an attacker tries first. */
export interface CommonPasswords {
  has(password: string): Promise<boolean>;
}

/** Refuses (400) a new password that is easily guessed, by anybody or by who knows whose it is; `field` is what the caller called it. */
export async function refuseGuessablePassword(
  common: CommonPasswords,
  password: string,
  owner: Pick<Account, 'email' | 'name'>,
  field: string,
): Promise<void> {
  if (isOfOwner(password, owner))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be your e-mail address or your name.`);
  if (isPredictable(password) || (await common.has(password)))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be one of the most common passwords.`);
}

/** The address, what is before its @, or the name, whatever the case, and with digits and punctuation added or left out. */
function isOfOwner(password: string, { email, name }: Pick<Account, 'email' | 'name'>): boolean {
  const own = [email, email.slice(0, email.lastIndexOf('@')), name].map(plain);
  return (
    own.includes(plain(password)) || own.map(letters).some((word) => word !== '' && word === letters(plain(password)))
  );
}

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().trim();
const letters = (text: string): string => text.replace(/[\s\d\p{P}\p{S}]/gu, '');

/** One or two letters over and over, letters or digits in their order, or nothing but words for this service. */
function isPredictable(password: string): boolean {
  const codes = Array.from(password.toLowerCase(), (letter) => letter.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  const words = letters(password);
  return new Set(codes).size <= 2 || new Set(steps).size === 1 || /^(text|ai|platform|password)+$/i.test(words);
}
