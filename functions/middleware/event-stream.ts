import type { AnswerFormat } from '#contract/answer-format.ts';
import type { StreamedAnswer } from '#domain/model-stream.ts';
import type { ServiceError } from '#domain/service-error.ts';

export interface EventStreamOptions {
  readonly format: AnswerFormat;
  /** Runs before the first piece is sent. */
  readonly onFirstPiece: () => void;
  /** Runs when nothing more is made, before the last event, and when the reader leaves; the second time changes nothing. */
  readonly settle: () => Promise<void>;
  readonly explain: (error: unknown) => ServiceError;
}

/** The body of a reply that is sent as it is made. */
export interface EventStream {
  /** Each is made when it is asked for. */
  readonly pieces: AsyncIterable<string>;
  /** The reader takes no more: ends the model's work, and resolves when the call is settled. */
  readonly leave: () => Promise<void>;
}

/** A streamed answer as the body of a reply, at the reader's pace. */
export function eventStream(
  answer: StreamedAnswer,
  { format, onFirstPiece, settle, explain }: EventStreamOptions,
): EventStream {
  let isLeft = false;

  async function* events(): AsyncGenerator<string> {
    let last: string;
    try {
      for (let next = await answer.chunks.next(); !next.done; next = await answer.chunks.next()) {
        onFirstPiece();
        yield format.chunkEvent(next.value);
      }
      last = format.endEvent();
    } catch (error) {
      if (isLeft) return;
      last = format.errorEvent(explain(error));
    }
    await settle();
    yield last;
  }

  return {
    pieces: events(),
    leave() {
      isLeft = true;
      answer.cancel();
      return settle();
    },
  };
}
