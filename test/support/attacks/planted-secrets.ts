/** The fifteen secrets that a test plants, by name. Secrets that the service generates are added during the test. */
export const secrets = new Map([
  ['password', 'pw4Krokodil at the river'],
  ['password_hash', 'ph7Nashorn at the river'],
  ['newPassword', 'np2Giraffe at the river'],
  ['email', 'em9flamingo@example.com'],
  ['prompt', 'pr3Pinguin, tell me nothing'],
  ['completion', 'co5Papagei never says a word'],
  ['junk Authorization', 'ju8Schildkroete-of-nobody'],
]);
export const secret = (name: string) => secrets.get(name)!;

/**
 * The part of a secret that reveals it: its start, because errors may quote only that, or the middle of a generated
 * one, whose start names only its type and account.
 */
const traceOf = (value: string) => (/^(ta[iscrdef]_|ey)/.test(value) ? value.slice(-40, -20) : value.slice(0, 9));

/** The names of the secrets that a text reveals. */
export const given = (text: string) =>
  [...secrets]
    .filter(([, value]) => text.includes(traceOf(value)) || text.includes(encodeURIComponent(value)))
    .map(([name]) => name);
