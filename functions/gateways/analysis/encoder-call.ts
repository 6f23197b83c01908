import type { EncoderPlace } from '#contract/platform/analysis-encoders.ts';
import type { ModelCall } from '#domain/inference/model-gateway.ts';
import { inOrder, withParts } from '#domain/inference/translation/part-calls.ts';
import { readReply } from '../sagemaker/calls/whole-reply.ts';
import type { ModelRuntime } from '../sagemaker/runtime.ts';

export interface EncoderSettings {
  readonly runtime: ModelRuntime;
  readonly deadlineMs: number;
}

/** Bytes of a part: its tokens fit into the 512 that encoders take, as a text of n bytes is at most n tokens. */
export const maxEncoderBytes = 500;

/** Bytes that a response for one text may have: entities of each word, or all labels of a model. */
const maxResponseBytes = 256 * 1024;

interface Batch<Reply> {
  /** How many texts are in the body. */
  readonly texts: number;
  readonly body: object;
  /** Throws ValiError for what is no reply to the batch. */
  readonly parse: (value: unknown) => Reply;
}

/** The calls of an encoder, some of them concurrently; `name` is what errors call it. */
export const encoderCall = <Reply, Result>(
  { runtime, deadlineMs }: EncoderSettings,
  { endpoint, component }: EncoderPlace,
  name: string,
  batches: () => readonly Batch<Reply>[],
  resultOf: (replies: readonly Reply[]) => Result,
): ModelCall<Promise<Result>> => ({
  prepare: () => undefined,
  send: (signal) =>
    withParts(signal, async (whole) => {
      const replies = await inOrder(batches(), ({ texts, body, parse }) => {
        const invoke = runtime.reply({ endpoint, component, body, maxBytes: texts * maxResponseBytes });
        return readReply({ model: name, invoke, parse, deadlineMs, signal: whole });
      });
      return resultOf(replies);
    }),
});
