import { parseJson } from '#contract/shared/json.ts';
import { hash, isCommon, seededRandom } from '../../sagemaker/words.ts';
import { analysisOf } from '../analysis.ts';
import { fillSchema } from '../functions/arguments.ts';
import type { ChatBody } from '../request.ts';
import { jsonText, requestedJson } from './requested-json.ts';
import { translate, translationOrder } from './translation.ts';

type Message = ChatBody['messages'][number];

const introduction = 'This is the built-in demo engine of the platform, not a language model';

/** Generates the reply to a conversation without a tool call: prose, or JSON if `response_format` requests it. */
export function responseText({ messages, response_format: format }: ChatBody, maxTokens: number | undefined): string {
  if (format?.type === 'json_object')
    return JSON.stringify(requestedJson(messages) ?? { answer: chatText(messages, maxTokens) });
  if (format?.type !== 'json_schema') return jsonText(messages) ?? chatText(messages, maxTokens);
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return JSON.stringify(analysisOf(format.json_schema, request) ?? fillSchema(format.json_schema?.schema, request));
}

/** A sentence of reasoning, if the request sets `reasoning_effort`. */
export function reasoningText({ messages, reasoning_effort: effort }: ChatBody): string {
  if (!effort || effort === 'none') return '';
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return `The message says: “${quote(question, 24)}” The demo engine does not think, so it goes on to its response.`;
}

function chatText(messages: readonly Message[], maxTokens: number | undefined): string {
  const last = messages.at(-1);
  const questions = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const question = questions.at(-1) ?? last?.content ?? '';
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool' && role !== 'function') + 1);
  if (results.length > 0) return textFromResults(results, question);

  const system = messages.filter(({ role }) => role === 'system' || role === 'developer').map(({ content }) => content);
  const { instructions, passages } = systemText(system.join('\n'));
  const order = translationOrder(instructions);
  if (order) return translate(question, order);
  if (passages.length > 0) return `${textFromPassages(question, passages)} ${introduction}.`;

  const instructed = /\S/.test(instructions) ? ` I was told: “${quote(instructions, 12)}”.` : '';
  const turn = questions.length > 1 ? ` This is your message number ${questions.length}.` : '';
  const verb = question.trimEnd().endsWith('?') ? 'asked' : 'wrote';
  const prose = sentences(question, requestedLength(question, maxTokens));
  return `${introduction}.${instructed}${turn} You ${verb}: “${quote(question, 24)}” ${prose}`;
}

export function continuePrompt(prompt: string, maxTokens: number | undefined): string {
  const gap = prompt === '' || /\s$/.test(prompt) ? '' : ' ';
  return `${gap}(by the built-in demo engine) … ${sentences(prompt, requestedLength(prompt, maxTokens))}`;
}

function textFromPassages(question: string, passages: Parameters<typeof nearestSentence>[1]): string {
  const found = nearestSentence(question, passages);
  if (found) return `According to ${quote(found.document, 12)}: ${quote(found.text, 60)}`;
  return `The documents do not say anything about “${quote(question, 24)}”.`;
}

function textFromResults(results: readonly Message[], question: string): string {
  const reports = results.map(({ name, content }) => {
    const source = name ? `The function ${name}` : 'The function';
    return `${source} answered: ${readable(content)}.`;
  });
  const conclusion = question ? ` That is the answer to “${quote(question, 24)}”, as far as a demo can tell.` : '';
  return `${reports.join(' ')}${conclusion} ${introduction}.`;
}

function readable(result: string): string {
  const value = parseJson(result);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return quote(result, 60);
  const facts = Object.entries(value).map(([key, fact]) => {
    const shown = typeof fact === 'object' ? JSON.stringify(fact) : String(fact);
    return `${key.replaceAll('_', ' ')} is ${shown}`;
  });
  return quote(facts.join(', '), 60);
}

function quote(text: string, maxWords: number): string {
  const words = text.split(/\s+/, maxWords + 1).filter(Boolean);
  return words.length > maxWords ? `${words.slice(0, maxWords).join(' ')} …` : words.join(' ');
}

/** A document passage in a line of the system message (functions/domain/agents/context.ts). */
interface Passage {
  readonly document: string;
  readonly text: string;
}

export interface SystemText {
  readonly instructions: string;
  readonly passages: readonly Passage[];
}

/** An agent sends four passages of 1,000 bytes. */
const maxPassages = 32;
const maxText = 4000;
const maxQuestion = 2000;

function systemText(system: string): SystemText {
  const lines = system.split('\n');
  const data = lines.findIndex((line) => /^\{"(?:passage|summary)":/.test(line));
  if (data === -1) return { instructions: system, passages: [] };
  const passages = lines.slice(data, data + maxPassages + 1).flatMap(passageOf);
  return {
    instructions: lines
      .slice(0, Math.max(data - 1, 0))
      .join('\n')
      .trim(),
    passages,
  };
}

function passageOf(line: string): Passage[] {
  try {
    const { document, text } = JSON.parse(line);
    return typeof document === 'string' && typeof text === 'string' ? [{ document, text: text.slice(0, maxText) }] : [];
  } catch {
    return [];
  }
}

const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const wordSegmenter = new Intl.Segmenter('en', { granularity: 'word' });

interface Sentence {
  readonly document: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/**
 * The sentence that shares the most words with the question. Rare words weigh more. Undefined if no sentence shares
 * one.
 */
function nearestSentence(question: string, passages: readonly Passage[]): Omit<Sentence, 'words'> | undefined {
  const sentences = passages.flatMap(sentencesOf);
  const asked = [...wordsOf(question.slice(0, maxQuestion))];
  const weights = asked.map((word) => [word, 1 / sentences.filter(({ words }) => words.has(word)).length] as const);
  const scores = sentences.map(({ words }) =>
    weights.reduce((sum, [word, weight]) => (words.has(word) ? sum + weight : sum), 0),
  );
  const best = Math.max(0, ...scores);
  const at = best === 0 ? -1 : scores.indexOf(best);
  const found = sentences[at];
  if (!found) return undefined;
  const next = sentences[at + 1];
  const isHeading = [...found.words].every((word) => asked.includes(word)) && next?.document === found.document;
  return { document: found.document, text: isHeading ? `${found.text} ${next.text}` : found.text };
}

function sentencesOf({ document, text }: Passage): Sentence[] {
  return [...sentenceSegmenter.segment(text)]
    .map(({ segment }) => segment.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) => ({ document, text: sentence, words: wordsOf(sentence) }));
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = [...wordSegmenter.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment.normalize('NFKC').toLowerCase()] : [],
  );
  return new Set(words.filter((word) => !isCommon(word)).map(stemOf));
}

const stemOf = (word: string): string => word.replace(/(?<=\p{L}{3})(?:ing|e[ds]|[es])$/u, '');

type Pick = (choices: readonly string[]) => string;

/** `words` is approximate. `story` selects a narrative. */
export interface Length {
  readonly words: number;
  readonly story: boolean;
}

function sentences(about: string, { words, story }: Length): string {
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
function requestedLength(request: string, maxTokens: number | undefined): Length {
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
