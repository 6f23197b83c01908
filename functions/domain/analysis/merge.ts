import { maxAnalysisItems } from '#contract/analysis/analysis.ts';
import { heaviest, overallCategories, overallSentiment, type Weighted } from './parts/weighted.ts';
import { type Located, type Quote, QuoteFinder } from './quotes/quotes.ts';
import type { PartReply } from './reply.ts';
import type { Findings } from './text-analyzer.ts';

/** What the parts of a text come to: labels by the weight of their parts, quotes wherever the whole text has their words. */
export function mergeReplies(text: string, parts: readonly Weighted<PartReply>[]): Findings {
  const quotes = new QuoteFinder(text);
  const has = (field: keyof PartReply): boolean => parts.some(({ value }) => value[field] !== undefined);
  const labels = <Field extends keyof PartReply>(field: Field): Weighted<NonNullable<PartReply[Field]>>[] =>
    parts.flatMap(({ value: { [field]: value }, weight }) => (value === undefined ? [] : [{ value, weight }]));
  const items = <Item extends Quote>(listOf: (reply: PartReply) => readonly Item[] | undefined): Located<Item>[] =>
    quotes.locate(parts.flatMap(({ value }) => listOf(value) ?? []));
  const phrases = ({ key_phrases: list }: PartReply) => list?.map((words) => ({ text: words }));
  const language = heaviest(labels('language'));
  const found = {
    ...(language !== undefined && { language: { label: language, score: null } }),
    ...(has('sentiment') && { sentiment: { label: overallSentiment(labels('sentiment')), score: null } }),
    ...(has('entities') && {
      entities: items(({ entities }) => entities)
        .slice(0, maxAnalysisItems)
        .map(({ quote: { type }, span }) => ({ ...span, type, score: null })),
    }),
    ...(has('key_phrases') && {
      keyPhrases: items(phrases)
        .slice(0, maxAnalysisItems)
        .map(({ span }) => span),
    }),
    ...(has('pii') && { personalData: parts.flatMap(({ value: { pii } }) => pii ?? []) }),
    ...(has('categories') && {
      categories: overallCategories(labels('categories')).map((label) => ({ label, score: null })),
    }),
  };
  return { ...found, unlocated: quotes.unlocated };
}
