import { hash, isCommon, seededRandom } from '../../sagemaker/words.ts';

type Pick = (choices: readonly string[]) => string;

/** `words` is approximate. `story` selects a narrative. */
export interface Length {
  readonly words: number;
  readonly story: boolean;
}

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

/** Reads the requested length: "200 words", "3 paragraphs", or words such as "long" and "story". */
export function requestedLength(request: string, maxTokens: number | undefined): Length {
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

const openers = list(`
  At first sight|In practice|On a closer look|To be fair|In the long run|For most readers|Seen from a
  distance|With some patience|In plain words|Put differently|All the same|Step by step`);

const sides = list(`
  cost|timing|habit|scale|trust|language|measure|detail|order|purpose|balance|memory|distance|effort|proof|taste`);

const claims = list(`
  that changes with the next fact|a small test tells more than a long debate|the simple reading is often
  the right one|two people may well differ about it|nothing here is decided yet|the details carry most of
  the weight|it helps to write the steps down|a real model would have more to say|the order of things
  matters|the next message can settle it|it is easier to show than to tell|the limits are as telling as
  the goal`);

const people = list(`
  a mapmaker|an old ferryman|two sisters|the clockmaker|a travelling cook|the night librarian|a patient
  engineer|the youngest apprentice|a retired pilot|the beekeeper|a quiet translator|the station master`);

const moments = list(`
  At first light|By noon|Later that week|When the rain stopped|Long before winter|After the last train|On
  the third day|Without any hurry|As the lamps were lit|Between two bells|The next morning|Much to
  everyone’s surprise`);

const actions = list(`
  found|carried|repaired|remembered|describeError|lost and found again|painted|traded|counted|guarded|asked
  for|put away`);

const objects = list(`
  a brass key|an unfinished letter|a lantern without oil|the wrong map|a basket of pears|a very small
  door|the only spare wheel|a box of quiet bells|an unlikely promise|a song without a name`);

const places = list(`
  by the harbour|under the stairs|at the edge of the village|in the glass house|on the slow boat|behind
  the market|near the old mill|above the clouds|beside the canal|in the reading room|along the northern
  road|at the far end of the bridge`);

function list(text: string): readonly string[] {
  return text.split('|').map((item) => item.trim().replaceAll(/\s+/g, ' '));
}
