import * as v from 'valibot';
import { OpenAiSpeechRequest } from '#contract/audio/speech.ts';
import { OpenAiTranscriptionRequest, OpenAiTranslationRequest } from '#contract/audio/transcription.ts';
import { AnthropicRequest } from '#contract/inference/anthropic.ts';
import { OpenAiChatRequest, OpenAiCompletionRequest, OpenAiEmbeddingsRequest } from '#contract/inference/openai.ts';
import { ResponseRequest } from '#contract/inference/responses.ts';

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

/** See functions/contract/inference/field-use.ts. */
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
type FieldUse = v.InferOutput<typeof Mark> | { readonly use: 'honoured' };

const hasWrapped = (field: v.GenericSchema): field is v.GenericSchema & { readonly wrapped: v.GenericSchema } =>
  'wrapped' in field;

/** Finds the mark of a field, below `optional`, `nullable` and `nullish`. */
export function useOf(field: v.GenericSchema): FieldUse {
  const mark = v.safeParse(Mark, v.getMetadata(field));
  if (mark.success) return mark.output;
  if ('literal' in field) return { use: 'refused', values: `\`${JSON.stringify(field.literal)}\`` };
  return hasWrapped(field) ? useOf(field.wrapped) : { use: 'honoured' };
}

/** Values that are equivalent to an absent field. */
const always = new Set(['absent', '`null`']);

const hasValues = (field: FieldUse): field is FieldUse & { readonly values: string } =>
  field.use === 'refused' && !always.has(field.values);

/** One row per path: the fields that are honoured, accepted without effect, and refused. */
export const fieldUseRows = (): readonly (readonly string[])[] =>
  Object.entries(dialectBodies).map(([path, entries]) => {
    const uses = Object.entries(entries).map(([name, field]) => ({ name: `\`${name}\``, ...useOf(field) }));
    const named = (use: FieldUse['use']): string =>
      uses
        .filter((field) => field.use === use)
        .map((field) => (hasValues(field) ? `${field.name} unless ${field.values}` : field.name))
        .join(', ');
    return [`\`${path}\``, named('honoured'), named('without effect'), named('refused')];
  });
