import * as v from 'valibot';
import { Usage } from './receipt.ts';

/** Chat chunks have a `delta`, completion chunks a `text`. */
export const StreamChunk = v.object({
  choices: v.array(
    v.object({
      text: v.optional(v.string()),
      delta: v.optional(
        v.object({
          content: v.optional(v.string()),
          function_call: v.optional(v.object({ name: v.optional(v.string()), arguments: v.optional(v.string()) })),
        }),
      ),
      finish_reason: v.nullish(v.string()),
    }),
  ),
  usage: v.optional(Usage),
});

/** What a chunk adds to the output. */
export interface Piece {
  readonly text: string;
  readonly call?: { readonly name?: string | undefined; readonly arguments?: string | undefined } | undefined;
  /** Of the last chunk, where the model's route reports one. */
  readonly finishReason?: string | undefined;
}

/** One piece with all that several add. */
export function joinPieces(pieces: readonly Piece[]): Piece {
  const calls = pieces.flatMap(({ call }) => call ?? []);
  return {
    text: pieces.map(({ text }) => text).join(''),
    ...(calls.length > 0 && {
      call: {
        name: calls.map(({ name = '' }) => name).join(''),
        arguments: calls.map(({ arguments: text = '' }) => text).join(''),
      },
    }),
    finishReason: pieces.findLast(({ finishReason }) => finishReason !== undefined)?.finishReason,
  };
}

export function pieceOf({ choices }: v.InferOutput<typeof StreamChunk>): Piece {
  const { text = '', delta, finish_reason } = choices[0] ?? {};
  return { text: delta?.content ?? text, call: delta?.function_call, finishReason: finish_reason ?? undefined };
}
