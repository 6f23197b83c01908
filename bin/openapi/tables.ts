import * as v from 'valibot';
import { labelLimits, maxAnalysisCharacters } from '#contract/analysis/analysis.ts';
import { OpenAiSpeechRequest } from '#contract/audio/speech.ts';
import { OpenAiTranscriptionRequest, OpenAiTranslationRequest } from '#contract/audio/transcription.ts';
import { messagesPlan, planListing, planOfRank, webhooksPlan } from '#contract/billing/plans.ts';
import { priceText, type ServiceName } from '#contract/billing/prices.ts';
import { AnthropicRequest } from '#contract/inference/anthropic.ts';
import { models } from '#contract/inference/models.ts';
import { OpenAiChatRequest, OpenAiCompletionRequest, OpenAiEmbeddingsRequest } from '#contract/inference/openai.ts';
import { ResponseRequest } from '#contract/inference/responses.ts';
import { maxTranslationWords } from '#contract/inference/translation.ts';
import { planOverview } from '#contract/offer/default-offer.ts';
import { servicesAtOwnPrice } from '#contract/offered-services.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import { limits } from '#contract/shared/limits.ts';
import { webhookEvents, webhookEventTypes } from '#contract/webhooks/webhooks.ts';
import { clientRows } from './clients.ts';
import { errorCauses } from './errors.ts';
import { headers } from './headers.ts';

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** Request schemas of other vendors' dialects, by path. */
export const dialectBodies: Readonly<Record<string, Entries>> = {
  '/openai/v1/chat/completions': OpenAiChatRequest.entries,
  '/openai/v1/responses': ResponseRequest.entries,
  '/openai/v1/completions': OpenAiCompletionRequest.entries,
  '/openai/v1/embeddings': OpenAiEmbeddingsRequest.entries,
  '/anthropic/v1/messages': AnthropicRequest.entries,
  '/openai/v1/audio/speech': OpenAiSpeechRequest.entries,
  '/openai/v1/audio/transcriptions': OpenAiTranscriptionRequest.entries,
  '/openai/v1/audio/translations': OpenAiTranslationRequest.entries,
};

/** See functions/contract/inference/inference-fields.ts. */
const Mark = v.variant('x-use', [
  v.pipe(
    v.object({ 'x-use': v.literal('without effect') }),
    v.transform(() => ({ use: 'without effect' }) as const),
  ),
  v.pipe(
    v.object({ 'x-use': v.literal('refused'), 'x-unless': v.string() }),
    v.transform(({ 'x-unless': values }) => ({ use: 'refused', values }) as const),
  ),
]);
type FieldUse = v.InferOutput<typeof Mark> | { readonly use: 'supported' };

const hasWrapped = (field: v.GenericSchema): field is v.GenericSchema & { readonly wrapped: v.GenericSchema } =>
  'wrapped' in field;

/** Finds the mark of a field, below `optional`, `nullable` and `nullish`. */
export function useOf(field: v.GenericSchema): FieldUse {
  const mark = v.safeParse(Mark, v.getMetadata(field));
  if (mark.success) return mark.output;
  if ('literal' in field) return { use: 'refused', values: `\`${JSON.stringify(field.literal)}\`` };
  return hasWrapped(field) ? useOf(field.wrapped) : { use: 'supported' };
}

/** Values that are equivalent to an absent field. */
const always = new Set(['absent', '`null`']);

const hasValues = (field: FieldUse): field is FieldUse & { readonly values: string } =>
  field.use === 'refused' && !always.has(field.values);

/** One row per path: the fields that are supported, accepted without effect, and refused. */
const fieldUseRows = (): readonly (readonly string[])[] =>
  Object.entries(dialectBodies).map(([path, entries]) => {
    const uses = Object.entries(entries).map(([name, field]) => ({ name: `\`${name}\``, ...useOf(field) }));
    const named = (use: FieldUse['use']): string =>
      uses
        .filter((field) => field.use === use)
        .map((field) => (hasValues(field) ? `${field.name} unless ${field.values}` : field.name))
        .join(', ');
    return [`\`${path}\``, named('supported'), named('without effect'), named('refused')];
  });

type Cell = string | number | null;

const grouped = (value: Cell): string => (typeof value === 'number' ? value.toLocaleString('en') : (value ?? ''));

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string => `| ${cells.map(grouped).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const errors = (): string =>
  table(
    ['Status', 'Code', 'When', 'What to do'],
    Object.entries(errorStatus).map(([code, status]) => {
      const found = Object.entries(errorCauses).find(([name]) => name === code)?.[1];
      return [status, `\`${code}\``, found?.cause ?? '', found?.remedy ?? ''];
    }),
  );

const mebibytes = (bytes: number): string => `${bytes / 1024 ** 2} MiB`;

const limitRows: readonly (readonly Cell[])[] = [
  ['Body', mebibytes(limits.bodyBytes)],
  ['Body of embeddings', mebibytes(limits.embeddingsBodyBytes)],
  ['Levels of nested JSON', limits.jsonDepth],
  ['Messages of a chat', limits.messages],
  ['Choices of a response (`n`)', limits.choices],
  ['Functions or tools', limits.functions],
  ['Stop sequences', limits.stopSequences],
  ['Characters of a stop sequence', limits.stopSequenceCharacters],
  ['Texts to embed in one request', limits.embeddingTexts],
  ['Texts to embed in one request of an OpenAI SDK', limits.openAiEmbeddingTexts],
  ['Tokens of a text to embed', limits.embeddingTokens],
  ['Words to translate in one request', maxTranslationWords],
  ['Characters to analyze in one request', maxAnalysisCharacters],
  ['Labels of an analysis', labelLimits.max],
  ['Prompts of an account whose tokens are counted free of charge per minute', limits.tokenCountsPerMinute],
  [
    'Calls of an account that fail uncharged because no response fits their format, per day (UTC)',
    limits.mismatchesPerDay,
  ],
  ['Active keys of an account', limits.activeKeys],
  ['Active and suspended keys of an account', limits.usableKeys],
  ['Revoked and expired keys that are kept, the newest', limits.endedKeys],
  ['Keys of an account that are created, changed, rotated or revoked per minute', limits.keyChangesPerMinute],
  ['Stored prompts of other members’ keys that a person reads per minute', limits.contentReadsPerMinute],
  ['Subscriptions that an account begins, changes, cancels or resumes per minute', limits.subscriptionChangesPerMinute],
  ['Agents of an account', limits.agents],
  ['Characters of instructions', limits.agentInstructions],
  ['Bytes of the functions of an agent, as JSON', limits.agentFunctionBytes],
  ['Days that messages are kept, at most', limits.maxRetentionDays],
  ['Text of a document', mebibytes(limits.documentBytes)],
  ['Chunks of the documents of an agent', limits.agentChunks],
  ['Conversations of an agent', limits.agentConversations],
  ['Characters of a message to an agent', limits.messageCharacters],
  ['Messages of a conversation', limits.conversationMessages],
  [
    'Agents that are created, changed or deleted, conversations that are created or deleted, and documents that are deleted per minute',
    limits.agentChangesPerMinute,
  ],
  ['Webhooks of an account', limits.webhooks],
  [
    'Webhooks that are created, changed or deleted, and secrets that are rotated per minute',
    limits.webhookChangesPerMinute,
  ],
  ['Tests and redeliveries of webhooks that are requested per minute', limits.webhookSendsPerMinute],
  [
    'Requests with an `Idempotency-Key` that cost no credits, per account and day (UTC)',
    limits.unpricedIdempotencyKeysPerDay,
  ],
];

const plans = (): string =>
  table(
    [
      'Plan',
      'USD per month',
      'Credits per month',
      'Priced calls per minute',
      'Concurrent calls',
      'Messages',
      'Webhooks',
    ],
    planListing.map(({ id, name, price, quota_limit, rate_limit }) => [
      `\`${name}\``,
      price ?? 'custom',
      quota_limit ?? 'unlimited',
      rate_limit ?? 'unlimited',
      planOfRank(id).maxConcurrentCalls,
      id >= messagesPlan.id ? 'yes' : 'no',
      id >= webhooksPlan.id ? 'yes' : 'no',
    ]),
  );

/** The plan overview of the default plans, as a table. */
const overview = (): string =>
  [
    'A deployment may enforce the following table instead (`PLAN_TABLE`). For missing values, the table above applies:',
    overviewTable(),
  ].join('\n\n');

const overviewTable = (): string =>
  table(
    ['Plan', 'USD per month', 'Calls per month', 'Calls per minute'],
    planOverview.map(({ name, price, callsPerMonth, callsPerMinute }) => [
      `\`${name}\``,
      price ?? 'custom',
      callsPerMonth ?? 'unlimited',
      callsPerMinute ?? (price === null ? 'custom' : 'no value'),
    ]),
  );

const services: readonly ServiceName[] = [
  'chat',
  'completion',
  'embeddings',
  'translation',
  'text_analysis',
  'audio',
  'transcription',
  'voice_call',
  'sms',
];

const sold = new Set(servicesAtOwnPrice());

const modelRows = models.map(({ id, capabilities, contextWindow, dimensions, minPlanRank }) => [
  `\`${id}\``,
  capabilities.join(', '),
  contextWindow,
  dimensions,
  `\`${planOfRank(minPlanRank).name}\``,
]);

/** Fields of every event. */
const ofAccount = new Set(['accountId', 'seq']);

const events = webhookEventTypes.map((type) => {
  const { description, data } = webhookEvents[type];
  const fields = Object.keys(data.entries).filter((name) => !ofAccount.has(name));
  return [`\`${type}\``, description, fields.map((name) => `\`${name}\``).join(', ')];
});

/**
 * Tables of docs/webhooks.md and the guides by name. Each replaces the text between `<!-- NAME -->` and
 * `<!-- end -->`.
 */
const tables: Readonly<Record<string, string>> = {
  events: table(['Event', 'When', '`data`'], events),
  errors: errors(),
  headers: table(
    ['Header', 'Meaning', 'Example'],
    Object.entries(headers).map(([name, { description, example }]) => [`\`${name}\``, description, `\`${example}\``]),
  ),
  limits: table(['Limit', 'Maximum'], limitRows),
  plans: plans(),
  overview: planListing.some(({ name }) => planOverview.some((one) => one.name === name)) ? overview() : '',
  prices: table(
    ['Service', 'Price'],
    services.filter((name) => sold.has(name)).map((name) => [`\`${name}\``, priceText(name)]),
  ),
  clients: table(['Client', 'Version', 'Works', 'Needs'], clientRows()),
  fields: table(['Path', 'Supported', 'Accepted without effect', 'Refused'], fieldUseRows()),
  models: table(['Model', 'For', 'Context, tokens', 'Dimensions', 'From plan'], modelRows),
};

/** Values within a sentence: `<!-- price translation -->`, `<!-- plan messages -->` and `<!-- plan webhooks -->`. */
const values: Readonly<Record<string, (name: string) => string>> = {
  price: (name) => priceText(v.parse(v.picklist(services), name)),
  plan: (name) => {
    const plan = (name === 'messages' ? messagesPlan : webhooksPlan).name;
    return plan === undefined ? '(currently none)' : `\`${plan}\``;
  },
};

const withValues = (page: string): string =>
  page.replaceAll(/<!-- (price|plan) (\w+) -->[^\n]*?<!-- end -->/g, (_, kind: string, name: string) => {
    return `<!-- ${kind} ${name} -->${values[kind]?.(name)}<!-- end -->`;
  });

/** Replaces the tables of the pages. Throws for an unknown table, and for a table that no page contains. */
export function withTables(pages: readonly string[]): string[] {
  const placed = new Set<string>();
  const texts = pages.map((page) =>
    withValues(page).replaceAll(/<!-- (\w+) -->\n[^]*?<!-- end -->/g, (_, name: string) => {
      placed.add(name);
      const wanted = tables[name];
      if (wanted === undefined) throw new Error(`the documentation contains an unknown table ${name}`);
      return `<!-- ${name} -->\n\n${wanted}\n\n<!-- end -->`;
    }),
  );
  const missing = Object.keys(tables).filter((name) => !placed.has(name));
  if (missing.length > 0) throw new Error(`the documentation has no marker for ${missing.join(', ')}`);
  return texts;
}
