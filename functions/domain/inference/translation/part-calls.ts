import { failingTogether } from '../../shared/failing-together.ts';
import { ServiceError } from '../../shared/service-error.ts';

/** Parts of one text that are with the model at one moment. */
const maxConcurrentParts = 4;

/** Tokens that a chat template adds around two messages, with the date and the like that some put in. */
export const templateTokens = 64;

/** Runs `work` on some items concurrently; the results are in the items' order. */
export async function inOrder<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: maxConcurrentParts }, worker));
  return results;
}

/** Has a model do the parts of a text, or none: where one fails, the others end. */
export async function withParts<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await failingTogether(signal, work);
  } catch (error) {
    throw withoutCallersFault(error);
  }
}

/** The caller did not write what the model was sent, so a request that the model refuses is no fault of theirs. */
function withoutCallersFault(error: unknown): unknown {
  const isRefusal =
    error instanceof ServiceError && (error.code === 'INVALID_FORMAT' || error.code === 'CONTEXT_LENGTH_EXCEEDED');
  return isRefusal ? new ServiceError('MODEL_ERROR', 'The model failed.', { cause: error }) : error;
}
