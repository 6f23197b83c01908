import type { AnalysisName, Sentiment } from '#contract/analysis/names.ts';
import type { Model } from '#contract/inference/models.ts';
import { cutText, sentencesOf, templateTokens } from '../inference/translation.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { headOf, instructionFor, markBytes, reminder } from './prompt.ts';
import type { AnalysisTask, Label } from './text-analyzer.ts';

/** A part of a text, and where it begins in UTF-16 units. */
export interface Part {
  readonly text: string;
  readonly start: number;
}

/** A text in parts of at most `maxBytes` UTF-8 bytes, cut at the ends of sentences where it can be; blank ones are left out unless all are. */
export function partsOf(text: string, maxBytes: number): Part[] {
  if (Buffer.byteLength(text) <= maxBytes) return [{ text, start: 0 }];
  const parts: Part[] = [];
  let at = 0;
  for (const { before, text: part, after } of cutText(text, maxBytes)) {
    if (part !== '') parts.push({ text: part, start: at + before.length });
    at += before.length + part.length + after.length;
  }
  // White space has at most three bytes.
  return parts.length > 0 ? parts : [{ text: text.slice(0, Math.floor(maxBytes / 3)), start: 0 }];
}

/** A part of a text, and how many tokens it has at most. */
export interface SizedPart {
  readonly text: string;
  readonly tokens: number;
}

/** By our tokenizer, which is not the model's, a text may have so many times as many, and so many more. */
const slack = { factor: 1.25, tokens: 16 };
const withSlack = (counted: number): number => Math.ceil(counted * slack.factor) + slack.tokens;

/** Bytes for each token from which on a text rarely fits, so that it is counted by sentences straight away. */
const rareBytesPerToken = 3;

/** The most tokens that a text has: its bytes where they are `enough`, else by count. */
async function maxTokensOf(text: string, enough: number, tokenizer: Tokenizer): Promise<number> {
  const bytes = Buffer.byteLength(text);
  return bytes <= enough ? bytes : Math.min(bytes, withSlack(await tokenizer.count(text)));
}

/** A text in parts of at most so many tokens (some hundred at least), as few as fit, cut at the ends of sentences where it can be. */
export async function sizedParts(text: string, maxTokens: number, tokenizer: Tokenizer): Promise<SizedPart[]> {
  const bytes = Buffer.byteLength(text);
  const tokens = bytes > maxTokens * rareBytesPerToken ? bytes : await maxTokensOf(text, maxTokens, tokenizer);
  if (tokens <= maxTokens) return [{ text, tokens }];
  const runs = await sentenceRuns(text, maxTokens, tokenizer);
  const parts = await Promise.all(
    runs.map(async (run) => (run.tokens <= maxTokens ? [run] : cutRun(run.text, maxTokens, tokenizer))),
  );
  return parts.flat();
}

/** Sentences together as far as they fit; one that does not fit is a run of its own. Blank runs are left out unless all are. */
async function sentenceRuns(text: string, maxTokens: number, tokenizer: Tokenizer): Promise<SizedPart[]> {
  const runs: SizedPart[] = [];
  let [run, counted] = ['', 0];
  const end = (): void => {
    const trimmed = run.trim();
    const tokens = Math.min(Buffer.byteLength(trimmed), withSlack(counted));
    if (trimmed !== '') runs.push({ text: trimmed, tokens });
    [run, counted] = ['', 0];
  };
  for (const sentence of sentencesOf(text)) {
    const own = await tokenizer.count(sentence, maxTokens);
    if (withSlack(counted + own) > maxTokens) end();
    run += sentence;
    counted += own;
  }
  end();
  return runs.length > 0 ? runs : [{ text, tokens: Number.POSITIVE_INFINITY }];
}

/** A long sentence in parts; those that have more tokens for their bytes than the whole are cut again. */
async function cutRun(text: string, maxTokens: number, tokenizer: Tokenizer): Promise<SizedPart[]> {
  const tokens = await maxTokensOf(text, maxTokens, tokenizer);
  if (tokens <= maxTokens) return [{ text, tokens }];
  const maxBytes = Math.floor((Buffer.byteLength(text) * 0.95 * maxTokens) / tokens);
  const parts = partsOf(text, maxBytes).map((part) => cutRun(part.text, maxTokens, tokenizer));
  return (await Promise.all(parts)).flat();
}

/** What was found in a part of a text, which counts as its length does. */
export interface Weighted<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** The label of most of the text; of equal ones the first. */
export function heaviest<Name extends string>(labels: readonly Weighted<Name>[]): Name | undefined {
  return sorted(weights(labels))[0]?.[0];
}

/**
 * The mood of a text by those of its parts: mixed where a quarter or more of what is not neutral is positive and as much negative, and that
 * is no small part of the whole; else what most of it is.
 */
export function overallSentiment(parts: readonly Weighted<Sentiment>[]): Sentiment {
  const by = weights(parts);
  const of = (name: Sentiment): number => by.get(name) ?? 0;
  const [positive, negative] = [of('positive') + of('mixed') / 2, of('negative') + of('mixed') / 2];
  const moved = positive + negative;
  if (moved < of('neutral') || moved === 0) return 'neutral';
  if (Math.min(positive, negative) >= moved / 4) return 'mixed';
  return positive > negative ? 'positive' : 'negative';
}

/** Of what parts were put into, the labels that a third or more of the text has, the heaviest first; the heaviest where none has. */
export function overallCategories(parts: readonly Weighted<readonly string[]>[]): string[] {
  const by = sorted(weights(parts.flatMap(({ value, weight }) => value.map((label) => ({ value: label, weight })))));
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const common = by.filter(([, weight]) => weight >= whole / 3);
  return (common.length > 0 ? common : by.slice(0, 1)).map(([label]) => label);
}

/** The mean of the scores that encoders have given to the parts, the highest first. */
export function overallScores<Name extends string>(
  parts: readonly Weighted<readonly Label<Name>[]>[],
): readonly Label<Name>[] {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const shares = parts.flatMap(({ value, weight }) =>
    value.map(({ label, score }) => ({ value: label, weight: (score ?? 0) * (weight / whole) })),
  );
  return sorted(weights(shares)).map(([label, score]) => ({ label, score: Math.min(score, 1) }));
}

function weights<Name extends string>(labels: readonly Weighted<Name>[]): ReadonlyMap<Name, number> {
  const by = new Map<Name, number>();
  for (const { value, weight } of labels) by.set(value, (by.get(value) ?? 0) + weight);
  return by;
}

const sorted = <Name extends string>(by: ReadonlyMap<Name, number>) =>
  [...by].toSorted(([, one], [, other]) => other - one);

/** How a model's window is shared by a part of a text, what is sent with it and the reply, in tokens. */
export interface AnalysisWindow {
  /** Of the largest part. */
  readonly partTokens: number;
  /** Of a part whose reply was cut at its length before: it leaves six times as many for the reply. */
  readonly smallPartTokens: number;
  readonly replyTokens: (part: SizedPart) => number;
}

/** Of the smallest part that a text is cut into; with less room nothing is analysed. */
export const minPartTokens = 384;

/** Of a reply without its quotes and labels: names of fields, and the marks of JSON. */
const formTokens = 96;

const quoting: ReadonlySet<AnalysisName> = new Set(['entities', 'key_phrases', 'pii']);

/**
 * The reply is given as many tokens as the part has where two analyses or more quote it, half as many where one does, and
 * room for half of the labels. `labelTokens`: of the labels as they are sent.
 */
function windowFor(task: AnalysisTask, { contextWindow }: Model, labelTokens: number): AnalysisWindow {
  // Our own English has at most a token for three bytes.
  const instruction = Math.ceil(Buffer.byteLength(instructionFor(task) + reminder) / 3);
  const room = contextWindow - templateTokens - instruction - markBytes - labelTokens;
  const forParts = room - formTokens - Math.ceil(labelTokens / 2);
  const quotes = Math.min(task.analyses.filter((name) => quoting.has(name)).length / 2, 1);
  const partTokens = Math.floor(forParts / (1 + quotes));
  return {
    partTokens,
    smallPartTokens: Math.min(Math.max(Math.floor(forParts / 7), minPartTokens), partTokens),
    replyTokens: ({ tokens }) => room - tokens,
  };
}

/** The window beside the labels of a task, which are counted where they have many bytes. */
export async function countedWindow(task: AnalysisTask, model: Model, tokenizer: Tokenizer): Promise<AnalysisWindow> {
  return windowFor(task, model, await maxTokensOf(headOf(task), minPartTokens, tokenizer));
}

/** The same by bytes alone, which is no larger. */
export const uncountedWindow = (task: AnalysisTask, model: Model): AnalysisWindow =>
  windowFor(task, model, Buffer.byteLength(headOf(task)));
