import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditCards, emails, mayHavePhones } from '#domain/analysis/pii-rules.ts';
import { folded, plainTexts } from '#domain/analysis/pii-text.ts';
import { listed } from '#test/listed.ts';
import { analysisBy, reply } from '#test/models/analysis-model.ts';
import { anyText } from '#test/models/any-text.ts';
import { foldedPieces, mailParts } from '#test/models/hostile/slow-ways.ts';

async function redact(text: string, names: readonly string[], offsetUnit: 'utf16' | 'code_point' = 'utf16') {
  const { analyze } = analysisBy(() => reply({ pii: names.map((name) => ({ text: name, type: 'PERSON' })) }));
  const { pii, redactedText, unlocated } = await analyze({ text, analyses: ['pii'], offsetUnit });
  return { pii: pii!, redactedText: redactedText!, unlocated };
}

describe('a quoted name', () => {
  it.each([
    ['with particles', '김철수 씨를 만났다. 김철수는 의사다.', '김철수', '[P] 씨를 만났다. [P] 의사다.'],
    ['with another particle', '김철수가 웃었다.', '김철수', '[P] 웃었다.'],
    ['with endings, in other case', 'Müller kam. Müllers Haus. MÜLLER!', 'Müller', '[P] kam. [P] Haus. [P]!'],
    ['in compounds', 'Anna_Müller, Müller2, 2Müller', 'Müller', 'Anna_[P], [P], 2[P]'],
    ['with the text joined to it', 'Anna_Müller und #AnnaMüller', 'Anna', '[P] und #[P]'],
    ['across a line break', '12 Main St,\nSpringfield', '12 Main St, Springfield', '[P]'],
    [
      'across any whitespace',
      'Ada\u00a0Lovelace, Ada\nLovelace, Ada \u200b\t Lovelace',
      'Ada Lovelace',
      '[P], [P], [P]',
    ],
    ['decomposed', 'Jose\u0301 lives here.', 'José', '[P] lives here.'],
    ['composed', 'José lives here.', 'Jose\u0301', '[P] lives here.'],
    ['in decomposed Hangul', '김철수는 가.'.normalize('NFD'), '김철수', '[P] 가.'.normalize('NFD')],
    ['with another apostrophe', 'Pat O’Brien, Pat O‘Brien', "Pat O'Brien", '[P], [P]'],
    ['with another hyphen', 'Anna‑Lena, Anna−Lena and Anna–Lena', 'Anna-Lena', '[P], [P] and [P]'],
    ['in capitals that differ in length', 'Frau GROSS und Groß', 'Groß', 'Frau [P] und [P]'],
    ['in Turkish capitals', 'İbrahim, İBRAHİM', 'İbrahim', '[P], [P]'],
    ['in Greek, with its last sigma', 'Ο Νίκος. ΝΊΚΟΣ', 'Νίκος', 'Ο [P]. [P]'],
    ['in full width', 'Ａｄａ Lovelace', 'Ada Lovelace', '[P]'],
    ['with invisible characters in it', 'A\u00adda Love\u200blace', 'Ada Lovelace', '[P]'],
    ['without a space around', '写信给田中さん、田中', '田中', '写信给[P]さん、[P]'],
    ['overlapping itself', 'Ada Ada Ada!', 'Ada Ada', '[P]!'],
    ['inside a word, but not at its start', 'Autobahn', 'bahn', 'Auto[P]'],
  ])('is hidden %s', async (_, text, name, expected) => {
    const { redactedText, unlocated } = await redact(text, [name]);
    expect(redactedText.replaceAll('[PERSON]', '[P]')).toBe(expected);
    expect(unlocated).toBe(0);
  });

  it('is not hidden inside a longer word', async () => {
    expect((await redact('Ada and Nevada, Canada', ['Ada'])).redactedText).toBe('[PERSON] and Nevada, Canada');
  });

  it.each([
    ['A', 'A plan: A. Anna ate a pear', '[P] plan: [P]. Anna ate a pear'],
    ['Li', 'Li lists it. LI, li, Li_2 and Li’s', '[P] lists it. LI, li, [P]_2 and [P]’s'],
    ['J.', 'J. Smith, Jane, j.', '[P] Smith, Jane, j.'],
    ['12', '12 Main St, 120, 12', '[P] Main St, 120, [P]'],
    ['김', '김 씨는 김치', '[P] 씨는 김치'],
    ['철수', '철수는 웃었다', '[P] 웃었다'],
  ])('of one or two letters is hidden only as a whole word in its case: %j', async (name, text, expected) => {
    expect((await redact(text, [name])).redactedText.replaceAll('[PERSON]', '[P]')).toBe(expected);
  });

  it('is counted if it is missing from the text', async () => {
    expect(await redact('Adam', ['Eve', 'Ad', '', ' ', '\u200b', '\ud83d', 'Eve'])).toMatchObject({
      pii: [],
      unlocated: 7,
    });
  });
});

/** Texts with several forms of the same words, and quotes of them. */
const word = fc.constantFrom(...listed("Ada José 김철수 Müller O'Brien Anna-Lena ﬁnn Groß x@y.org 😀Ada 田中さん"));
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

it('redaction hides quotes at every word start, and offsets point at the hidden text, for any text', async () => {
  const texts = fc.tuple(written, quoted, fc.constantFrom('utf16' as const, 'code_point' as const));
  const property = fc.asyncProperty(texts, async ([text, names, unit]) => {
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
  });
  await fc.assert(property, { numRuns: 500 });
});

const ascii = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))),
});

const sign = fc.constantFrom(
  ...Array.from("aB1٣é東がー김〇．。，-.@'`´’ \n\u00a0\u200b\u00ad\u0301\ufe0f_!\u{1d7d8}😀\u{e0020}ßİΣſK"),
  '\ud83d',
  '.org',
);
const text = fc.oneof(
  anyText,
  fc.array(sign, { maxLength: 40 }).map((all) => all.join('')),
);
const always = <Given>(property: fc.IProperty<Given>) => fc.assert(property, { numRuns: 500 });

describe('a fast search finds the same as the slow one', () => {
  it('for ASCII text alone and next to other text', () => {
    always(
      fc.property(ascii, (given) => {
        const [alone, beside] = [folded(given), folded(`${given}字`)];
        expect(`${alone.text}字`).toBe(beside.text);
        for (let at = 0; at < alone.text.length; at += 1)
          expect(alone.spanOf({ start: at, end: at + 1 })).toEqual(beside.spanOf({ start: at, end: at + 1 }));
      }),
    );
  });

  it('for folded letters and their positions', () => {
    always(
      fc.property(text, (given) => {
        const [quick, slow] = [folded(given), foldedPieces(given)];
        expect(quick.text).toBe(slow.map(({ fold }) => fold).join(''));
        let unit = 0;
        for (const { fold, start, end } of slow) {
          const isEach = fold.length === end - start;
          for (let at = 0; at < fold.length; at += 1, unit += 1) {
            const found = quick.spanOf({ start: unit, end: unit + 1 });
            expect(isEach ? [start, start + at] : [start]).toContain(found.start);
            expect(isEach ? [end, start + at + 1] : [end]).toContain(found.end);
            if (at === 0) expect(quick.unitAt(start)).toBe(unit);
          }
        }
      }),
    );
  });

  it('for email addresses', () => {
    always(
      fc.property(text, text, (one, other) => {
        const [before, after] = [one.replaceAll(/[@"]/g, ''), other.replaceAll(/[@[]/g, '')];
        const [found] = [...emails(`${before}@${after}`)];
        const { local, domains } = mailParts(before, after);
        const isNamed = domains.some((domain) => /\.(?:xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)/iu.test(domain));
        expect(found !== undefined).toBe(local !== '' && isNamed);
        if (!found) return;
        expect(found.start).toBe(before.length - local.length);
        const ends = domains.map((domain) => domain.startsWith(after.slice(0, found.end - before.length - 1)));
        expect(ends).toContain(true);
      }),
    );
  });

  it('for card numbers, with and without digits of other scripts next to them', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('01234-. a')), maxLength: 60 });
    const card = fc.constantFrom('4111 1111 1111 1111', '4111111111111111', '5500-0000-0000-0004');
    always(
      fc.property(
        fc.array(fc.oneof(digits, card), { maxLength: 6 }).map((all) => all.join(' ')),
        (given) => {
          expect([...creditCards(given)]).toEqual([...creditCards(`${given}; ٣`)]);
        },
      ),
    );
  });

  it('for rule matches and possible phone numbers', () => {
    always(
      fc.property(text, (given) => {
        expect(plainTexts(given).length).toBe(/\p{Cf}/u.test(given) ? 2 : 1);
        expect(plainTexts(given)[0]!.text).not.toMatch(/[\p{Cf}\uff0b\uff0d-\uff1a\uff20-\uff3a]/u);
        expect(mayHavePhones(given)).toBe(/[+＋]|\p{Nd}{2}/u.test(given));
      }),
    );
  });
});
