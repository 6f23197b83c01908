import type { AnswerFormat } from '#contract/http/response-format.ts';
import type { StreamedAnswer } from '#domain/inference/model-stream.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';

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
export function eventStream(answer: StreamedAnswer, options: EventStreamOptions): EventStream {
  const reader = { isLeft: false };
  return {
    pieces: events(answer, options, reader),
    leave() {
      reader.isLeft = true;
      answer.cancel();
      return options.settle();
    },
  };
}

async function* events(
  answer: StreamedAnswer,
  { format, onFirstPiece, settle, explain }: EventStreamOptions,
  reader: { readonly isLeft: boolean },
): AsyncGenerator<string> {
  let last: string;
  try {
    for (let next = await answer.next(); !next.done; next = await answer.next()) {
      onFirstPiece();
      yield format.chunkEvent(next.value);
    }
    last = format.endEvent();
  } catch (error) {
    if (reader.isLeft) return;
    last = format.errorEvent(explain(error));
  }
  await settle();
  yield last;
}
