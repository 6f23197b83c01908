import type { ModelEmbeddings, ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import { failingTogether } from '#domain/shared/failing-together.ts';
import { maxEmbeddingsBytes } from '../response-bounds.ts';
import { findServed, type GatewayContext } from '../served-model.ts';
import { refuseDifferentLengths, refuseOtherDimensions, vectorsFor } from './vectors.ts';
import { readReply } from './whole-reply.ts';

/** The vectors of all texts, in concurrent batches; whatever fails ends the rest of the model's work. */
export async function embed(
  context: GatewayContext,
  model: string,
  request: ModelEmbeddingsRequest,
): Promise<ModelEmbeddings> {
  const { endpoint, component, dialect, servedName } = findServed(context, model, ({ embeddings }) => embeddings);
  const { deadlineMs } = context.settings;
  return failingTogether(AbortSignal.timeout(deadlineMs), async (signal) => {
    const calls = dialect.batches(request, servedName).map(({ texts, body }) => {
      const maxBytes = maxEmbeddingsBytes(texts);
      const invoke = context.runtime.reply({ endpoint, component, body, maxBytes });
      const parse = (value: unknown) => vectorsFor(texts, dialect.reply(value));
      return { model, invoke, parse, deadlineMs, signal };
    });
    const replies = await Promise.all(calls.map(readReply));
    const vectors = replies.flatMap((reply) => reply.vectors);
    refuseDifferentLengths(vectors);
    refuseOtherDimensions(vectors, request, model);
    const counts = replies.map(({ promptTokens }) => promptTokens ?? Number.NaN);
    const prompt_tokens = counts.reduce((sum, count) => sum + count, 0);
    const data = vectors.map((embedding, index) => ({ index, embedding }));
    return { data, usage: Number.isNaN(prompt_tokens) ? null : { prompt_tokens } };
  });
}
