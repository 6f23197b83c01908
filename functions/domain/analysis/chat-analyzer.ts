import * as v from 'valibot';
import { labelLimits, maxAnalysisItems } from '#contract/analysis/analysis.ts';
import { type AnalysisName, entityTypes, modelPiiTypes, sentiments } from '#contract/analysis/names.ts';
import { languageNames } from '#contract/inference/languages.ts';
import type { Model } from '#contract/inference/models.ts';
import { parseJson } from '#contract/shared/json.ts';
import type { ModelChatReply, ModelChatRequest } from '../inference/chat.ts';
import type { ModelGateway, Proof } from '../inference/order.ts';
import { inOrder, withParts } from '../inference/translation.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { AnalysisTask, Findings, TextAnalyzer } from './analysis.ts';
import {
  type AnalysisWindow,
  countedWindow,
  heaviest,
  instructionFor,
  messageFor,
  minPartTokens,
  overallCategories,
  overallSentiment,
  reminder,
  type SizedPart,
  sizedParts,
  uncountedWindow,
  type Weighted,
} from './parts.ts';
import { type Located, type Quote, QuoteFinder } from './quotes.ts';

type Gateway = Pick<ModelGateway, 'chat'>;
type Call = ReturnType<Gateway['chat']>;

/** The result for a part. `value` is undefined if the reply was invalid or its list of personal data was full. */
interface Attempt {
  readonly part: SizedPart;
  readonly value: PartReply | undefined;
  readonly wasCut: boolean;
}

export interface ChatAnalyzer extends TextAnalyzer {
  requireRoom(task: AnalysisTask, prove: Proof): Promise<void>;
}

/** Analyzes with a chat model and a JSON schema (docs/inference.md#text-analysis). */
export function chatAnalyzer(gateway: Gateway, model: Model, tokenizer: Tokenizer): ChatAnalyzer {
  return {
    async requireRoom(task, prove) {
      if (uncountedWindow(task, model).partTokens >= minPartTokens) return;
      await prove();
      const { partTokens } = await countedWindow(task, model, tokenizer);
      if (partTokens >= minPartTokens) return;
      const detail = `labels must leave room for the text in the ${model.contextWindow} tokens of ${model.id}: send fewer or shorter ones.`;
      throw new ServiceError('INVALID_FORMAT', detail);
    },
    call(task) {
      const short = shortCall(gateway, model, task);
      const callOf = (part: SizedPart, window: AnalysisWindow, isSecond: boolean): Call =>
        gateway.chat(model.id, requestFor(part, window, task, isSecond));
      const attempt = async (part: SizedPart, call: Call, signal: AbortSignal): Promise<Attempt> => {
        const reply = await call.send(signal);
        const value = analysisIn(reply, task);
        if (value && isFull(value)) return { part, value: undefined, wasCut: true };
        return { part, value, wasCut: reply.choices[0]?.finish_reason === 'length' };
      };
      return {
        prepare: () => short?.call.prepare(),
        send: (signal) =>
          withParts(signal, async (either) => {
            const window = short?.window ?? (await countedWindow(task, model, tokenizer));
            const parts = short ? [short.part] : await sizedParts(task.text, window.partTokens, tokenizer);
            const first = await inOrder(parts, (part) =>
              attempt(part, short?.call ?? callOf(part, window, false), either),
            );
            const again = await inOrder(first, ({ part, value, wasCut }) => {
              if (value) return [];
              return wasCut ? sizedParts(part.text, window.smallPartTokens, tokenizer) : [part];
            });
            const second = await inOrder(again.flat(), (part) => attempt(part, callOf(part, window, true), either));
            if (!second.every(({ value }) => value)) throw noAnalysis();
            return mergeReplies(task.text, [...first, ...second].flatMap(weighted));
          }),
      };
    },
  };
}

/** Creates a single call for a text that certainly fits by its bytes, without counting tokens. */
function shortCall(gateway: Gateway, model: Model, task: AnalysisTask) {
  const window = uncountedWindow(task, model);
  const part = { text: task.text, tokens: Buffer.byteLength(task.text) };
  if (part.tokens > window.partTokens) return undefined;
  return { window, part, call: gateway.chat(model.id, requestFor(part, window, task, false)) };
}

const weighted = ({ part, value }: Attempt): Weighted<PartReply>[] =>
  value ? [{ value, weight: part.text.length }] : [];

const noAnalysis = (): ServiceError =>
  new ServiceError('MODEL_ERROR', 'The model did not return an analysis of the text.');

/** The second attempt adds a reminder and a higher temperature, because at 0 the model would repeat its reply. */
function requestFor(part: SizedPart, window: AnalysisWindow, task: AnalysisTask, isSecond: boolean): ModelChatRequest {
  const instruction = instructionFor(task);
  return {
    messages: [
      { role: 'system', content: isSecond ? `${instruction}\n${reminder}` : instruction },
      { role: 'user', content: messageFor(part.text, task) },
    ],
    max_tokens: window.replyTokens(part),
    temperature: isSecond ? 0.5 : 0,
    response_format: responseFormat(task),
  };
}

/** UTF-16 units of a reply; longer ones are invalid. */
const maxReplyLength = 64 * 1024;

const maxQuotes = 200;

const text = v.string();
const quotes = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.maxLength(maxQuotes));
const fields = {
  language: v.picklist([...languageNames.keys()]),
  sentiment: v.picklist(sentiments),
  entities: quotes(v.strictObject({ text, type: v.picklist(entityTypes) })),
  key_phrases: quotes(text),
  pii: quotes(v.strictObject({ text, type: v.picklist(modelPiiTypes) })),
  categories: v.pipe(v.array(text), v.maxLength(labelLimits.max)),
};
const Reply = v.partial(v.strictObject(fields));

export type PartReply = v.InferOutput<typeof Reply>;

const isFull = ({ pii = [] }: PartReply): boolean => pii.length >= maxQuotes;

/** Parses a reply. Returns undefined if it was truncated, does not match the schema, or contains unknown labels. */
function analysisIn({ choices: [choice] }: ModelChatReply, task: AnalysisTask): PartReply | undefined {
  const content = choice?.message.content;
  const isCut = choice?.finish_reason === 'length' || choice?.finish_reason === 'content_filter';
  if (!content || isCut || content.length > maxReplyLength) return undefined;
  const parsed = v.safeParse(Reply, parseJson(content));
  return parsed.success && isOf(parsed.output, task) ? parsed.output : undefined;
}

function isOf(reply: PartReply, { analyses, labels = [] }: AnalysisTask): boolean {
  const found = Object.keys(reply);
  const isWhole = found.length === analyses.length && analyses.every((name) => found.includes(name));
  return isWhole && (reply.categories ?? []).every((label) => labels.includes(label));
}

const list = (items: object) => ({ type: 'array', items, maxItems: maxQuotes });
const closed = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const typedQuotes = (types: readonly string[]) =>
  list(closed({ text: { type: 'string' }, type: { type: 'string', enum: types } }));

const schemaOf: Readonly<Record<AnalysisName, (task: AnalysisTask) => object>> = {
  language: () => ({ type: 'string', enum: [...languageNames.keys()] }),
  sentiment: () => ({ type: 'string', enum: sentiments }),
  entities: () => typedQuotes(entityTypes),
  key_phrases: () => list({ type: 'string' }),
  pii: () => typedQuotes(modelPiiTypes),
  categories: ({ labels = [] }) => ({
    type: 'array',
    items: { type: 'string', enum: labels },
    maxItems: labels.length,
  }),
};

function responseFormat(task: AnalysisTask): object {
  const schema = closed(Object.fromEntries(task.analyses.map((name) => [name, schemaOf[name](task)])));
  return { type: 'json_schema', json_schema: { name: 'text_analysis', strict: true, schema } };
}

/** Weighs labels by the length of their parts, and finds quotes in the whole text. */
function mergeReplies(text: string, parts: readonly Weighted<PartReply>[]): Findings {
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
