import { ServiceError } from '../service-error.ts';

/** Passwords that an attacker tries first. */
export interface CommonPasswords {
  has(password: string): Promise<boolean>;
}

/** Refuses (400) a new password that is a common one; `field` is what the caller called it (design section 10). */
export async function refuseCommonPassword(common: CommonPasswords, password: string, field: string): Promise<void> {
  if (!(await common.has(password))) return;
  throw new ServiceError('INVALID_FORMAT', `${field} must not be one of the most common passwords.`);
}
