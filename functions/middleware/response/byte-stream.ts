import type { StreamedBytes } from '#domain/inference/streams/streamed-bytes.ts';
import type { EventStream, EventStreamOptions } from './event-stream.ts';

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
