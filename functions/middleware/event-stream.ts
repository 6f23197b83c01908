import type { ResponseFormat } from '#contract/http/format.ts';
import type { StreamedBytes, StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { ResponseLifecycle } from './call.ts';

export interface EventStreamOptions {
  readonly format: ResponseFormat;
  /** The call is settled when nothing more is generated, before the last event, or when the reader leaves. */
  readonly lifecycle: ResponseLifecycle;
  readonly explain: (error: unknown) => ServiceError;
}

/** The body of a response that is sent as it is generated. */
export interface EventStream {
  /** Each is made when it is read. */
  readonly pieces: AsyncIterable<string | Buffer>;
  /** The reader takes no more: ends the model's work, unless what it makes is kept, and resolves when the call is settled. */
  readonly leave: () => Promise<void>;
}

/** A streamed response as the body that is sent, at the reader's pace. */
export function eventStream(response: StreamedResponse, options: EventStreamOptions): EventStream {
  const reader = { isLeft: false };
  return {
    pieces: events(response, options, reader),
    async leave() {
      reader.isLeft = true;
      await response.leave();
      await options.lifecycle.settle();
    },
  };
}

async function* events(
  response: StreamedResponse,
  { format, lifecycle, explain }: EventStreamOptions,
  reader: { readonly isLeft: boolean },
): AsyncGenerator<string> {
  let last: string;
  try {
    for (let next = await response.next(); !next.done; next = await response.next()) {
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

/**
 * A file as the body that is sent while it is made, at the reader's pace. Bytes have no place for an error: one that breaks off
 * ends its connection, so that nobody takes it for whole.
 */
export function byteStream(response: StreamedBytes, options: Omit<EventStreamOptions, 'format'>): EventStream {
  const reader = { isLeft: false };
  return {
    pieces: bytes(response, options, reader),
    leave() {
      reader.isLeft = true;
      response.cancel();
      return options.lifecycle.settle();
    },
  };
}

async function* bytes(
  response: StreamedBytes,
  { lifecycle, explain }: Omit<EventStreamOptions, 'format'>,
  reader: { readonly isLeft: boolean },
): AsyncGenerator<Buffer> {
  try {
    for (let next = await response.next(); !next.done; next = await response.next()) {
      lifecycle.markFirstByte();
      yield next.value;
    }
  } catch (error) {
    if (reader.isLeft) return;
    throw explain(error);
  }
  await lifecycle.settle();
}
