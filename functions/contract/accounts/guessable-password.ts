interface Owner {
  readonly email: string;
  readonly name: string;
}

/** The email address, its local part or the name, ignoring case, digits and punctuation. */
export function isOfOwner(password: string, { email, name }: Owner): boolean {
  const own = [email, email.slice(0, email.lastIndexOf('@')), name].map(plain);
  return (
    own.includes(plain(password)) || own.map(letters).some((word) => word !== '' && word === letters(plain(password)))
  );
}

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().trim();
const letters = (text: string): string => text.replace(/[\s\d\p{P}\p{S}]/gu, '');

/**
 * Passwords of one or two repeated characters, a sequence of letters or digits, or only words that describe this
 * service.
 */
export function isPredictable(password: string): boolean {
  const codes = Array.from(password.toLowerCase(), (letter) => letter.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  const words = letters(password);
  return new Set(codes).size <= 2 || new Set(steps).size === 1 || /^(text|ai|platform|password)+$/i.test(words);
}
