import * as v from 'valibot';

export const Usage = v.object({ prompt_tokens: v.number(), total_tokens: v.number() });

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

/** Between two paints of a stream: pieces may come by the hundred in a second, and each paint costs a render. */
const minPauseMs = 40;
const maxPauseMs = 400;
/** The share of the time that painting may take. */
const maxShare = 1 / 3;

interface PieceBuffer {
  readonly add: (piece: Piece) => void;
  /** Paints what is left. To be called at the stream's end, whatever ended it. */
  readonly end: () => void;
}

/** Collects the pieces of a stream and paints them together, more seldom where a paint takes long. */
export function pieceBuffer(paint: (pieces: readonly Piece[]) => void): PieceBuffer {
  let pieces: Piece[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = 0;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pieces.length === 0) return;
    const collected = pieces;
    pieces = [];
    const began = performance.now();
    pauseMs = minPauseMs;
    paint(collected);
    // React renders in a task of its own, which is over when the next one of ours begins.
    setTimeout(() => {
      pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, (performance.now() - began) / maxShare));
    });
  }

  return {
    add(piece) {
      pieces.push(piece);
      timer ??= setTimeout(flush, pauseMs);
    },
    end: flush,
  };
}
