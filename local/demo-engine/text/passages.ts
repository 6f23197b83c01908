import { isCommon } from '../../sagemaker/words.ts';

/** A line of a system message that has a passage of a document (functions/domain/agents/turns/prompt.ts). */
interface Passage {
  readonly document: string;
  readonly text: string;
}

export interface SystemText {
  /** What stands before the data and the sentence that announces it. */
  readonly instructions: string;
  readonly passages: readonly Passage[];
}

/** An agent sends four passages of 1,000 bytes. */
const maxPassages = 32;
const maxText = 4000;
const maxQuestion = 2000;

/** Parts a system message whose last lines are data, each announced or followed by nothing but data. */
export function systemText(system: string): SystemText {
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

/** The sentence that shares most with a question, rare words before frequent ones; undefined where none shares a word. */
export function nearestSentence(question: string, passages: readonly Passage[]): Omit<Sentence, 'words'> | undefined {
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

/** The words of a text's subject, without the endings that English gives them. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = [...wordSegmenter.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment.normalize('NFKC').toLowerCase()] : [],
  );
  return new Set(words.filter((word) => !isCommon(word)).map(stemOf));
}

const stemOf = (word: string): string => word.replace(/(?<=\p{L}{3})(?:ing|e[ds]|[es])$/u, '');
