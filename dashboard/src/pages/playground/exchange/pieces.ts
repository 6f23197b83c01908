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

/** The output that a chunk adds. */
export interface Piece {
  readonly text: string;
  readonly call?: { readonly name?: string | undefined; readonly arguments?: string | undefined } | undefined;
  /** Set on the last chunk, if the route reports one. */
  readonly finishReason?: string | undefined;
}

/** Joins pieces into one. */
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

/**
 * Bounds of the pause between two paints. Hundreds of pieces may arrive per second, and each paint renders the page.
 */
const minPauseMs = 40;
const maxPauseMs = 400;
/** Maximum share of time spent painting. */
const maxShare = 1 / 3;

interface PieceBuffer {
  readonly add: (piece: Piece) => void;
  /** Paints the remaining pieces. Call it at the end of every stream, including a failed one. */
  readonly end: () => void;
}

/** Collects the pieces of a stream and paints them together, less often if painting is slow. */
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
    // React renders in its own task, which has finished when this one runs.
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
