import type { AnswerFormat } from '#contract/http/response-format.ts';
import type { StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { ResponseLifecycle } from './response-lifecycle.ts';

export interface EventStreamOptions {
  readonly format: AnswerFormat;
  /** The call is settled when nothing more is generated, before the last event, or when the reader leaves. */
  readonly lifecycle: ResponseLifecycle;
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
export function eventStream(answer: StreamedResponse, options: EventStreamOptions): EventStream {
  const reader = { isLeft: false };
  return {
    pieces: events(answer, options, reader),
    leave() {
      reader.isLeft = true;
      answer.cancel();
      return options.lifecycle.settle();
    },
  };
}

async function* events(
  answer: StreamedResponse,
  { format, lifecycle, explain }: EventStreamOptions,
  reader: { readonly isLeft: boolean },
): AsyncGenerator<string> {
  let last: string;
  try {
    for (let next = await answer.next(); !next.done; next = await answer.next()) {
      lifecycle.markFirstByte();
      yield format.chunkEvent(next.value);
    }
    last = format.endEvent();
  } catch (error) {
    if (reader.isLeft) return;
    last = format.errorEvent(explain(error));
  }
  await lifecycle.settle();
  yield last;
}
