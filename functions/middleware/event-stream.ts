import type { ResponseFormat } from '#contract/http/format.ts';
import type { StreamedBytes, StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { ResponseLifecycle } from './call.ts';

export interface EventStreamOptions {
  readonly format: ResponseFormat;
  readonly lifecycle: ResponseLifecycle;
  readonly explain: (error: unknown) => ServiceError;
}

export interface EventStream {
  readonly pieces: AsyncIterable<string | Buffer>;
  /** Handles a client disconnect. Resolves when the call is settled. */
  readonly disconnect: () => Promise<void>;
}

export function eventStream(response: StreamedResponse, options: EventStreamOptions): EventStream {
  const reader = { isDisconnected: false };
  return {
    pieces: events(response, options, reader),
    async disconnect() {
      reader.isDisconnected = true;
      await response.disconnect();
      await options.lifecycle.settle();
    },
  };
}

async function* events(
  response: StreamedResponse,
  { format, lifecycle, explain }: EventStreamOptions,
  reader: { readonly isDisconnected: boolean },
): AsyncGenerator<string> {
  let last: string;
  try {
    for (let next = await response.next(); !next.done; next = await response.next()) {
      lifecycle.markFirstByte();
      yield format.chunkEvent(next.value);
    }
    last = format.endEvent();
  } catch (error) {
    if (reader.isDisconnected) return;
    const refusal = explain(error);
    const chunks = response.failureChunks(refusal);
    last = chunks
      ? chunks.map((chunk) => format.chunkEvent(chunk)).join('') + format.endEvent()
      : format.errorEvent(refusal);
  }
  await lifecycle.settle();
  yield last;
}

/** A failure closes the connection, because binary content cannot carry an error event. */
export function byteStream(response: StreamedBytes, options: Omit<EventStreamOptions, 'format'>): EventStream {
  const reader = { isDisconnected: false };
  return {
    pieces: bytes(response, options, reader),
    disconnect() {
      reader.isDisconnected = true;
      response.cancel();
      return options.lifecycle.settle();
    },
  };
}

async function* bytes(
  response: StreamedBytes,
  { lifecycle, explain }: Omit<EventStreamOptions, 'format'>,
  reader: { readonly isDisconnected: boolean },
): AsyncGenerator<Buffer> {
  try {
    for (let next = await response.next(); !next.done; next = await response.next()) {
      lifecycle.markFirstByte();
      yield next.value;
    }
  } catch (error) {
    if (reader.isDisconnected) return;
    throw explain(error);
  }
  await lifecycle.settle();
}
