import { ServiceError } from '../service-error.ts';

/** Passwords that an attacker tries first. */
export interface CommonPasswords {
  has(password: string): Promise<boolean>;
}

/** Refuses (400) a new password that is easily guessed; `field` is what the caller called it (design section 10). */
export async function refuseCommonPassword(common: CommonPasswords, password: string, field: string): Promise<void> {
  if (!isPredictable(password) && !(await common.has(password))) return;
  throw new ServiceError('INVALID_FORMAT', `${field} must not be one of the most common passwords.`);
}

/** One or two letters over and over, letters or digits in their order, or nothing but words for this service. */
function isPredictable(password: string): boolean {
  const codes = Array.from(password.toLowerCase(), (letter) => letter.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  const words = password.replace(/[\s\d\p{P}\p{S}]/gu, '');
  return new Set(codes).size <= 2 || new Set(steps).size === 1 || /^(text|ai|platform|password)+$/i.test(words);
}
