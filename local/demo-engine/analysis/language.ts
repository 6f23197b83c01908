/** Scripts that one language has for itself, or mostly has; Japanese before the Chinese characters that it also uses. */
const scripts: readonly (readonly [code: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
];

/** The small words that most sentences of a language have. */
const small: readonly (readonly [code: string, words: ReadonlySet<string>])[] = [
  ['en', set('the and is are was were of to in that it this with for not but you my a an at from by have has')],
  ['fr', set('le la les et est sont de des du un une dans que qui ce cette avec pour pas mais vous mon ma je il elle')],
  ['de', set('der die das und ist sind war von zu ein eine in den dem mit für nicht aber ich sie es mein auf auch')],
  ['es', set('el la los las y es son de del un una en que con para no pero usted mi yo se lo por muy')],
  ['it', set('il lo la gli le e è sono di del un una in che con per non ma mio io si molto della')],
  ['pt', set('o a os as e é são de do da um uma em que com para não mas meu eu se muito')],
  ['nl', set('de het een en is zijn van in dat met voor niet maar ik je mijn op ook')],
];

/** The language of a text by its letters and small words; English where nothing shows. */
export function languageOf(text: string): string {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const script = scripts.find(([, of]) => (text.match(of)?.length ?? 0) * (of === scripts[0]?.[1] ? 5 : 2) > letters);
  if (script && letters > 0) return script[0];
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const counted = small.map(([code, of]) => ({ code, count: words.filter((word) => of.has(word)).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).code;
}

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
