import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folded } from '#domain/analysis/pii-text.ts';
import { analysisBy, reply } from '#test/models/analysis-model.ts';
import { anyText } from '#test/models/any-text.ts';

async function redact(text: string, names: readonly string[], offsetUnit: 'utf16' | 'code_point' = 'utf16') {
  const { analyze } = analysisBy(() => reply({ pii: names.map((name) => ({ text: name, type: 'PERSON' })) }));
  const { pii, redactedText, unlocated } = await analyze({ text, analyses: ['pii'], offsetUnit });
  return { pii: pii!, redactedText: redactedText!, unlocated };
}

describe('a name that the model quoted is hidden', () => {
  it.each([
    [
      'with particles',
      '김철수 씨를 만났다. 김철수는 의사다. 김철수가 웃었다.',
      '김철수',
      '[P] 씨를 만났다. [P] 의사다. [P] 웃었다.',
    ],
    ['with endings, in other case', 'Müller kam. Müllers Haus. MÜLLER!', 'Müller', '[P] kam. [P] Haus. [P]!'],
    ['in compounds', 'Anna_Müller, Müller2, 2Müller', 'Müller', 'Anna_[P], [P], 2[P]'],
    ['with what is joined to it', 'Anna_Müller und #AnnaMüller', 'Anna', '[P] und #[P]'],
    ['over the end of a line', '12 Main St,\nSpringfield', '12 Main St, Springfield', '[P]'],
    [
      'over any white space',
      'Ada\u00a0Lovelace and Ada\nLovelace, Ada \u200b\t Lovelace',
      'Ada Lovelace',
      '[P] and [P], [P]',
    ],
    ['decomposed', 'Jose\u0301 lives here.', 'José', '[P] lives here.'],
    ['composed', 'José lives here.', 'Jose\u0301', '[P] lives here.'],
    [
      'in Hangul that is decomposed',
      '김철수는 의사다.'.normalize('NFD'),
      '김철수',
      `[P] ${'의사다.'.normalize('NFD')}`,
    ],
    ['with another apostrophe', 'Pat O’Brien, Pat O‘Brien', "Pat O'Brien", '[P], [P]'],
    ['with another hyphen', 'Anna‑Lena, Anna−Lena and Anna–Lena', 'Anna-Lena', '[P], [P] and [P]'],
    ['in capitals that differ in length', 'Frau GROSS und Groß', 'Groß', 'Frau [P] und [P]'],
    ['in Turkish capitals', 'İbrahim, İBRAHİM', 'İbrahim', '[P], [P]'],
    ['in Greek, with its last sigma', 'Ο Νίκος. ΝΊΚΟΣ', 'Νίκος', 'Ο [P]. [P]'],
    ['in full width', 'Ａｄａ Lovelace', 'Ada Lovelace', '[P]'],
    ['with what shows nothing in it', 'A\u00adda Love\u200blace', 'Ada Lovelace', '[P]'],
    ['without a space around', '写信给田中さん、田中', '田中', '写信给[P]さん、[P]'],
    ['overlapping itself', 'Ada Ada Ada!', 'Ada Ada', '[P]!'],
    ['within a word where it begins none', 'Autobahn', 'bahn', 'Auto[P]'],
  ])('%s', async (_, text, name, expected) => {
    const { redactedText, unlocated } = await redact(text, [name]);
    expect(redactedText.replaceAll('[PERSON]', '[P]')).toBe(expected);
    expect(unlocated).toBe(0);
  });

  it('but not within other words where it begins one', async () => {
    expect((await redact('Ada and Nevada, Canada', ['Ada'])).redactedText).toBe('[PERSON] and Nevada, Canada');
  });

  it.each([
    ['A', 'A plan: A. Anna ate a pear', '[P] plan: [P]. Anna ate a pear'],
    ['Li', 'Li lists it. LI, li, Li_2 and Li’s', '[P] lists it. LI, li, [P]_2 and [P]’s'],
    ['J.', 'J. Smith, Jane, j.', '[P] Smith, Jane, j.'],
    ['12', '12 Main St, 120, 12', '[P] Main St, 120, [P]'],
    ['김', '김 씨는 김치', '[P] 씨는 김치'],
    ['철수', '철수는 웃었다', '[P] 웃었다'],
  ])('as a whole word alone, in its case, where it has one or two letters: %j', async (name, text, expected) => {
    expect((await redact(text, [name])).redactedText.replaceAll('[PERSON]', '[P]')).toBe(expected);
  });

  it('or counted, where it is not there', async () => {
    expect(await redact('Adam', ['Eve', 'Ad', '', ' ', '\u200b', '\ud83d', 'Eve'])).toMatchObject({
      pii: [],
      unlocated: 7,
    });
  });
});

/** Texts that have the same words in several forms, and quotes of them. */
const word = fc.constantFrom(
  'Ada',
  'José',
  '김철수',
  'Müller',
  "O'Brien",
  'Anna-Lena',
  'ﬁnn',
  'Groß',
  'x@y.org',
  '😀Ada',
  '田中さん',
);
const form = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.normalize('NFD'),
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.replaceAll("'", '’').replaceAll('-', '\u2011'),
  (text) => `${text}s`,
  (text) => Array.from(text).join('\u00ad'),
);
const glue = fc.constantFrom(' ', '\n', '\u00a0', '  ', '', '_', '.', ', ', '는 ', '\u200b');
const formed = fc.tuple(word, form, glue).map(([text, to, after]) => to(text) + after);
const written = fc.oneof(
  fc.array(formed, { minLength: 1, maxLength: 12 }).map((all) => all.join('')),
  anyText,
);
const quoted = fc.array(
  fc.oneof(
    word,
    fc.tuple(word, word).map((two) => two.join(' ')),
    fc.string({ minLength: 3, maxLength: 5 }),
  ),
  { maxLength: 4 },
);

const signs = /[\p{L}\p{N}]/gu;
const beginning = (name: string) =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`)}`, 'u');

it('nothing that the model quoted begins a word of what is left, and offsets slice to what is hidden, for any text', async () => {
  const texts = fc.tuple(written, quoted, fc.constantFrom('utf16' as const, 'code_point' as const));
  await fc.assert(
    fc.asyncProperty(texts, async ([text, names, unit]) => {
      const { pii, redactedText } = await redact(text, names, unit);
      const units = unit === 'utf16' ? text.split('') : Array.from(text);
      const [pieces, types] = [new Array<string>(), pii.map(({ type }) => `[${type}]`)];
      let at = 0;
      for (const { start, end } of pii) {
        expect([start >= at, end > start]).toEqual([true, true]);
        pieces.push(units.slice(at, start).join(''));
        at = end;
      }
      pieces.push(units.slice(at).join(''));
      expect(pieces.map((piece, index) => piece + (types[index] ?? '')).join('')).toBe(redactedText);
      for (const name of names) {
        const sought = folded(name).text.trim();
        if ((sought.match(signs) ?? []).length < 3) continue;
        for (const piece of pieces) expect(folded(piece).text).not.toMatch(beginning(sought));
      }
    }),
    { numRuns: 500 },
  );
});
