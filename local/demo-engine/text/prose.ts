import { hash, isCommon, seededRandom } from '../../sagemaker/words.ts';
import { actions, claims, moments, objects, openers, people, places, sides } from './vocabulary.ts';

type Pick = (choices: readonly string[]) => string;

/** `words`: about how many; `story`: a narrative rather than an argument. */
export interface Length {
  readonly words: number;
  readonly story: boolean;
}

/** Readable sentences around the words of `about`, endless in variety and always the same for the same text. */
export function sentences(about: string, { words, story }: Length): string {
  const random = seededRandom(hash(about));
  const pick: Pick = (choices) => choices[Math.floor(random() * choices.length)] ?? '';
  const known = topics(about);
  const parts: string[] = [];
  for (let count = 0, index = 0; count < words; index += 1) {
    const sentence = story ? narrate(pick, known) : reflect(pick, known);
    count += sentence.split(' ').length;
    parts.push(index % 6 === 5 ? `${sentence}\n\n` : `${sentence} `);
  }
  return parts.join('').trimEnd();
}

/** The words that the sentences turn around, as they were written. */
function topics(about: string): readonly string[] {
  const words = new Set(about.slice(0, 4000).match(/[\p{L}\p{M}]{3,40}/gu));
  const subjects = [...words].filter((word) => !isCommon(word.toLowerCase()) && !aboutForm.has(word.toLowerCase()));
  return subjects.length > 0 ? subjects.slice(0, 40) : ['the question', 'the reply'];
}

const aboutForm: ReadonlySet<string> = new Set([
  'long',
  'short',
  'story',
  'tale',
  'essay',
  'text',
  'sentences',
  'upon',
  'continue',
]);

/** The requested length of a text: "200 words", "three paragraphs" as digits, or words such as "long" and "story". */
export function wantedLength(request: string, maxTokens: number | undefined): Length {
  const story = /\b(?:story|tale|novel|chapter|once upon)\b/i.test(request);
  const [, digits, unit = ''] = /(\d{1,5})[\s-]+(word|sentence|paragraph|token)s?\b/i.exec(request) ?? [];
  const wordsPer =
    new Map([
      ['sentence', 14],
      ['paragraph', 80],
    ]).get(unit.toLowerCase()) ?? 1;
  const long = story || /\b(?:long|longer|essay|article|detailed|detail|everything|at length)\b/i.test(request);
  if (digits) return { story, words: Math.min(Number(digits) * wordsPer, maxWords) };
  if (long) return { story, words: Math.min(Math.max(600, (maxTokens ?? 0) * 0.65), maxWords) };
  return { story, words: 40 };
}

const maxWords = 20_000;

function reflect(pick: Pick, known: readonly string[]): string {
  const [a, b] = [pick(known), pick(known)];
  const forms = [
    `${pick(openers)}, “${a}” can be looked at from the side of ${pick(sides)}, and ${pick(claims)}.`,
    `${pick(openers)}, ${pick(people)} would ask what “${a}” means for ${pick(sides)}.`,
    a === b
      ? `What you wrote about “${a}” leaves room for ${pick(sides)}, so ${pick(claims)}.`
      : `Between “${a}” and “${b}” there is a question of ${pick(sides)}, and ${pick(claims)}.`,
    `As for ${pick(sides)}, “${a}” is a fair place to start, because ${pick(claims)}.`,
  ];
  return pick(forms);
}

function narrate(pick: Pick, known: readonly string[]): string {
  const a = pick(known);
  const found = [...objects, `a page on which somebody had written “${a}”`, `a story that began with “${a}”`];
  const forms = [
    `${pick(moments)}, ${pick(people)} ${pick(actions)} ${pick(found)} ${pick(places)}.`,
    `${pick(moments)}, ${pick(people)} spoke of “${a}” ${pick(places)}, and nobody disagreed.`,
    `It was ${pick(people)} who ${pick(actions)} ${pick(found)} ${pick(places)}.`,
    `${pick(places).replace(/^./, (first) => first.toUpperCase())}, ${pick(people)} ${pick(actions)} ${pick(found)}.`,
  ];
  return pick(forms);
}
