import * as v from 'valibot';
import { integer, text } from '../../shared/fields.ts';
import { modelFor, nonEmpty } from '../inference-fields.ts';
import { EmbeddingsRequest, ModelList } from '../requests.ts';
import { nullableSampling, single } from './openai-fields.ts';

/** Body of POST /openai/v1/completions. What would need a response that we cannot give is refused, the rest ignored. */
export const OpenAiCompletionRequest = v.object(
  {
    model: modelFor('completion'),
    prompt: v.union(
      [
        nonEmpty,
        v.pipe(
          v.strictTuple([nonEmpty]),
          v.transform(([prompt]) => prompt),
        ),
      ],
      'must be non-empty, well-formed Unicode, or a list of exactly one such string; tokens are not supported',
    ),
    max_tokens: v.nullish(integer(1)),
    ...nullableSampling,
    ...single,
    best_of: v.nullish(v.literal(1, 'must be 1')),
    echo: v.nullish(v.literal(false, 'must be false: the prompt is not repeated')),
    suffix: v.nullish(v.literal('', 'is not supported: a model only continues a text')),
  },
  'must be a JSON object',
);
export type OpenAiCompletionRequest = v.InferOutput<typeof OpenAiCompletionRequest>;

/** Body of POST /openai/v1/embeddings. */
export const OpenAiEmbeddingsRequest = v.object(
  {
    ...EmbeddingsRequest.entries,
    encoding_format: v.nullish(EmbeddingsRequest.entries.encoding_format.wrapped, 'float'),
  },
  'must be a JSON object',
);

export const OpenAiModelList = v.object({ object: v.literal('list'), data: ModelList });

export const ModelPath = v.object({ model: text(64) });
