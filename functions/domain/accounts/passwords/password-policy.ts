import { isOfOwner, isPredictable } from '#contract/accounts/guessable-password.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { Account } from '../account.ts';

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
    throw new ServiceError('INVALID_FORMAT', `${field} must not be your email address or your name.`);
  if (isPredictable(password) || (await common.has(password)))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be one of the most common passwords.`);
}
