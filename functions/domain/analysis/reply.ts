import * as v from 'valibot';
import { labelLimits } from '#contract/analysis/analysis.ts';
import { entityTypes, modelPiiTypes, sentiments } from '#contract/analysis/names.ts';
import { languages } from '#contract/inference/languages.ts';
import type { ModelChatReply } from '../inference/chat/chat.ts';
import { maxQuotes } from './schema.ts';
import type { AnalysisTask } from './text-analyzer.ts';

/** UTF-16 units of a reply that is read: no analysis of a part has more. */
const maxReplyLength = 64 * 1024;

const text = v.string();
const quotes = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.maxLength(maxQuotes));
const fields = {
  language: v.picklist([...languages.keys()]),
  sentiment: v.picklist(sentiments),
  entities: quotes(v.strictObject({ text, type: v.picklist(entityTypes) })),
  key_phrases: quotes(text),
  pii: quotes(v.strictObject({ text, type: v.picklist(modelPiiTypes) })),
  categories: v.pipe(v.array(text), v.maxLength(labelLimits.max)),
};
const Reply = v.partial(v.strictObject(fields));

/** What a chat model has found in a part of a text, as quotes of it. */
export type PartReply = v.InferOutput<typeof Reply>;

/** Whether the model may have found more personal data than its list has room for, which would go unhidden. */
export const isFull = ({ pii = [] }: PartReply): boolean => pii.length >= maxQuotes;

/** The analysis that a reply is; undefined for one that was cut, that is not JSON of the schema alone, or that names what it was not given. */
export function analysisIn({ choices: [choice] }: ModelChatReply, task: AnalysisTask): PartReply | undefined {
  const content = choice?.message.content;
  const isCut = choice?.finish_reason === 'length' || choice?.finish_reason === 'content_filter';
  if (!content || isCut || content.length > maxReplyLength) return undefined;
  const parsed = v.safeParse(Reply, jsonIn(content));
  return parsed.success && isOf(parsed.output, task) ? parsed.output : undefined;
}

function isOf(reply: PartReply, { analyses, labels = [] }: AnalysisTask): boolean {
  const found = Object.keys(reply);
  const isWhole = found.length === analyses.length && analyses.every((name) => found.includes(name));
  return isWhole && (reply.categories ?? []).every((label) => labels.includes(label));
}

function jsonIn(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
