import type { InferInput } from 'valibot';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import type { audioRoutes } from '#contract/routes/audio.ts';
import { ApiError } from '../../../api/http/api-error.ts';
import { openEnvelope } from '../../../api/http/envelope.ts';
import type { SendOptions } from '../../../api/http/send.ts';
import { request } from '../../../api/request.ts';
import type { Receipt } from './receipt.ts';
import { StreamInterrupted } from './streamed-exchange.ts';

/** A text to speak, and what it costs: a stream's headers leave before it is charged. */
export interface SpeechOrder {
  readonly route: typeof audioRoutes.createSpeech;
  readonly body: InferInput<typeof SpeechRequest>;
  readonly credits: number;
}

/**
 * Receives audio as its bytes, of which there may be more than an envelope holds. Throws an ApiError for a refusal, and
 * StreamInterrupted once it has begun.
 */
export async function audioExchange(
  { route, body, credits }: SpeechOrder,
  options: SendOptions,
  onBegin: (requestId: string | undefined) => void,
): Promise<{ file: Blob; receipt: Receipt }> {
  const began = performance.now();
  const response = await request(route, { body }, { ...options, accept: 'audio/*' });
  const { headers } = response;
  const type = headers.get('content-type') ?? '';
  if (!response.body || !type.startsWith('audio/')) {
    openEnvelope(await response.text(), headers);
    throw new ApiError('INVALID_RESPONSE', 'The server returned no audio. Try again.');
  }
  const requestId = headers.get('x-request-id') ?? undefined;
  onBegin(requestId);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const soFar = (): Receipt => ({
    requestId,
    totalMs: performance.now() - began,
    response: `Content-Type: ${type}\n\n(${bytes} bytes of audio)`,
  });
  try {
    for await (const part of response.body) {
      parts.push(part);
      bytes += part.length;
    }
  } catch (error) {
    throw new StreamInterrupted(soFar(), error);
  }
  return { file: new Blob(parts, { type }), receipt: { ...soFar(), credits } };
}
