/** Thirteen secrets that a test plants, by what they are. Those that the service makes are put in as they come. */
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
 * What would give a secret away: its first letters, for what quotes only a beginning; of one that the service made, the
 * middle, for the beginning names its kind and account.
 */
const traceOf = (value: string) => (/^(ta[iscrde]_|ey)/.test(value) ? value.slice(-40, -20) : value.slice(0, 9));

/** The secrets that a text gives away, by what they are. */
export const given = (text: string) =>
  [...secrets]
    .filter(([, value]) => text.includes(traceOf(value)) || text.includes(encodeURIComponent(value)))
    .map(([name]) => name);
