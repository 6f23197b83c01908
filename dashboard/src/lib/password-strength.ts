export interface Strength {
  /** 0 (too short) to 4. */
  readonly score: number;
  readonly word: string;
}

const words = ['Too short', 'Weak', 'Fair', 'Good', 'Strong'] as const;
const sequences = /(.)\1{2,}|0123|1234|2345|3456|4567|5678|6789|abcd|qwer|asdf|password|letmein/i;

/** A hint while typing; the service has the last word, and refuses common passwords. Length counts most. */
export function passwordStrength(password: string, personal: readonly string[]): Strength {
  if (password.length < 8) return { score: 0, word: words[0] };
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const distinct = new Set(password).size;
  const isPersonal = personal.some((part) => part.length > 3 && password.toLowerCase().includes(part.toLowerCase()));
  const points = [password.length >= 12, password.length >= 16, kinds >= 3, distinct >= 9];
  const penalty = (isPersonal ? 2 : 0) + (sequences.test(password) ? 1 : 0);
  const score = Math.max(1, Math.min(4, 1 + points.filter(Boolean).length - penalty));
  return { score, word: words[score] ?? words[4] };
}
