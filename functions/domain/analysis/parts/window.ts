import type { AnalysisName } from '#contract/analysis/names.ts';
import type { Model } from '#contract/inference/models.ts';
import { templateTokens } from '../../inference/translation/part-calls.ts';
import type { Tokenizer } from '../../shared/ports.ts';
import { headOf, instructionFor, markBytes, reminder } from '../prompt.ts';
import type { AnalysisTask } from '../text-analyzer.ts';
import { maxTokensOf, type SizedPart } from './sized-parts.ts';

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
