import { Readable } from 'node:stream';
import type { AnswerFormat } from '#contract/answer-format.ts';
import type { StreamedAnswer } from '#domain/model-stream.ts';
import type { ServiceError } from '#domain/service-error.ts';

export interface EventStreamOptions {
  readonly format: AnswerFormat;
  /** Runs before the first piece is sent. */
  readonly onFirstPiece: () => void;
  /** Runs once when nothing more is made, before the last event: also when the client has gone. */
  readonly settle: () => Promise<void>;
  readonly explain: (error: unknown) => ServiceError;
}

/** A streamed answer as the body of a reply, at the reader's pace. A reader who leaves ends the model's work. */
export function eventStream(
  answer: StreamedAnswer,
  { format, onFirstPiece, settle, explain }: EventStreamOptions,
): Readable {
  let isGone = false;

  async function* events(): AsyncGenerator<string> {
    let last: string;
    try {
      for (let next = await answer.chunks.next(); !next.done; next = await answer.chunks.next()) {
        onFirstPiece();
        yield format.chunkEvent(next.value);
      }
      last = format.endEvent();
    } catch (error) {
      if (isGone) return;
      last = format.errorEvent(explain(error));
    }
    await settle();
    yield last;
  }

  const source = events();
  return new Readable({
    read() {
      source.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      isGone = true;
      answer.cancel();
      void settle().then(() => done(error));
    },
  });
}
