/** A seeded generator of whole numbers below `limit` (mulberry32). */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return function random(limit) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

type Random = ReturnType<typeof randomOf>;

const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => String.fromCharCode(97 + random(26))).join('');
const point = (random: Random, from: number, size: number): string => String.fromCodePoint(from + random(size));
const runOf = (random: Random, marks: string): string => (marks[random(marks.length)] ?? '').repeat(1 + random(300));
const longWords = ['internationalization', 'responsibility', 'electroencephalography', 'administration'];

/** Pieces of texts that are expensive to count, cut or segment, by kind. */
export const hostilePieces: Readonly<Record<string, (random: Random) => string>> = {
  'words of four letters': (random) => `${letters(random, 4)} `,
  'letters without a space': (random) => letters(random, 40),
  'long words without a space': (random) => longWords[random(longWords.length)] ?? '',
  'one letter': () => 'a',
  spaces: () => ' ',
  'spaces and letters': (random) => `${' '.repeat(1 + random(300))}x`,
  'whitespace of all kinds': (random) => runOf(random, ' \t\n\r\u00a0\u3000'),
  'line breaks': () => '\r\n',
  'runs of marks': (random) => runOf(random, '=-*/#_.!~'),
  punctuation: (random) => '!"#$%&()*+,-./:;<=>?@[]^_`{|}~'[random(30)] ?? '',
  digits: (random) => String(random(10)),
  emoji: (random) => point(random, 0x1f300, 700),
  families: () => '👨‍👩‍👧',
  Chinese: (random) => point(random, 0x4e00, 20_000),
  'Chinese and marks': (random) => point(random, 0x4e00, 20_000) + runOf(random, '!。\u200b'),
  Thai: (random) => point(random, 0xe01, 46),
  Arabic: (random) => point(random, 0x620, 40),
  Gothic: (random) => point(random, 0x10330, 20),
  'one combining mark': () => '\u0301',
  'combining marks': (random) => point(random, 0x300, 100),
  'zero widths': (random) => '\u200b\u200c\u200d\u2060'[random(4)] ?? '',
  anything: (random) => point(random, 0, 0xd7ff),
};

/** A text of one kind, or of all kinds in turn, of at most this many UTF-8 bytes. */
export function hostileText(kind: string, bytes: number, random: Random): string {
  const kinds = Object.values(hostilePieces);
  const pieces: string[] = [];
  for (let left = bytes; ;) {
    const piece = (hostilePieces[kind] ?? kinds[random(kinds.length)])?.(random) ?? '';
    left -= Buffer.byteLength(piece);
    if (left < 0) return pieces.join('');
    pieces.push(piece);
  }
}

/** The CPU time of the work, in ms. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
