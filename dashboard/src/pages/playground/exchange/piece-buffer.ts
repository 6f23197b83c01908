import type { Piece } from './stream-chunk.ts';

/** Between two paints of a stream: pieces may come by the hundred in a second, and each paint costs a render. */
const minPauseMs = 40;
const maxPauseMs = 400;
/** The share of the time that painting may take. */
const maxShare = 1 / 3;

export interface PieceBuffer {
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
