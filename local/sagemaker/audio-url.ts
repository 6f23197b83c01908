import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import { boundedChunks, maxReplyBytes } from './bounded-chunks.ts';
import { containerError, type Engine, type EngineReply } from './engine.ts';

/** Milliseconds to the end of a reply, as SageMaker gives a container at most for a stream. */
const replyMs = 8 * 60_000;

/** Bytes of audio, more than the service takes of any. */
const maxAudioBytes = 64 * 1024 * 1024;

const RequestBody = v.record(v.string(), v.unknown());

/** Puts an OpenAI-compatible audio server behind the SageMaker stand-in; `url` is its base, such as `http://127.0.0.1:8000/v1`. */
export function audioUrlEngine(url: string): Required<Pick<Engine, 'speak' | 'transcribe'>> {
  const base = url.replace(/(?<!\/)\/+$/, '');

  async function post(
    path: string,
    init: Pick<RequestInit, 'body'> & { headers?: Record<string, string> },
    signal: AbortSignal,
    replyOf: (response: Response) => Promise<EngineReply | undefined> | EngineReply | undefined,
  ): Promise<EngineReply> {
    try {
      const response = await fetch(`${base}/${path}`, {
        method: 'POST',
        redirect: 'manual',
        ...init,
        headers: { ...init.headers, 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(replyMs)]),
      });
      const reply = response.ok ? await replyOf(response) : undefined;
      if (reply) return reply;
      await response.body?.cancel();
      const status = response.status >= 400 ? response.status : 502;
      return containerError(status, `The audio server responded with ${response.status} and not as requested.`);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      return containerError(503, `The audio server cannot be reached at ${base}: ${reason}.`);
    }
  }

  return {
    speak(body, signal) {
      const text = JSON.stringify(v.parse(RequestBody, body));
      const init = { body: text, headers: { 'content-type': 'application/json' } };
      return post('audio/speech', init, signal, ({ headers, body: audio }) => {
        const contentType = headers.get('content-type') ?? '';
        if (!audio || !contentType.startsWith('audio/')) return undefined;
        return { kind: 'stream', contentType, chunks: boundedChunks(audio, maxAudioBytes) };
      });
    },
    transcribe: (form, signal) =>
      post('audio/transcriptions', { body: form }, signal, async ({ body }) => {
        if (!body) return undefined;
        return { kind: 'json', status: 200, body: await json(boundedChunks(body, maxReplyBytes.text)) };
      }),
  };
}
