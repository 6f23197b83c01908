import { t } from '@lingui/core/macro';
import type { Route } from '#contract/http/route.ts';
import { type Input, request, type SendOptions } from './call.ts';
import { ApiError, openEnvelope } from './response.ts';

export interface StreamedResponse {
  readonly headers: Headers;
  /** The `data` of each STREAM_CHUNK. Throws an ApiError if the stream contains an error or breaks off. */
  readonly chunks: AsyncIterable<unknown>;
}

/** Opens a stream (docs/specification.md#post-completions). Throws an ApiError if the request is refused. */
export async function stream<R extends Route>(
  route: R,
  input: Input<R>,
  options: SendOptions,
): Promise<StreamedResponse> {
  const response = await request(route, input, options);
  const { headers, body } = response;
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) {
    openEnvelope(await response.text(), headers);
    throw new ApiError('INVALID_RESPONSE', t`The server returned an invalid response. Try again.`);
  }
  return { headers, chunks: chunksOf(body, options.signal) };
}

async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const { message, data } = openEnvelope(event.replace(/^data: /, ''));
        if (message === 'STREAM_COMPLETE') return;
        yield data;
      }
    }
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
  }
  throw new ApiError('UNREACHABLE', t`The connection was interrupted, so the response is incomplete. Try again.`);
}
