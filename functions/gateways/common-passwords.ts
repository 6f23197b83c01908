import type { CommonPasswords } from '#domain/accounts/passwords.ts';

/** The 49,000 most frequent leaked passwords, from zxcvbn's lists. Loaded when a password is first set. */
export const leakedPasswords: CommonPasswords = {
  async has(password) {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    return dictionary['passwords-common'].includes(password.toLowerCase());
  },
};
