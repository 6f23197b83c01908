import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { modelStreamError, payloadPart, splitAwkwardly } from './event-frames.ts';

export interface StreamOptions {
  readonly res: ServerResponse;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Break off in the middle of a frame, once this many chunks went out. */
  readonly cutAfterChunks?: number;
}

/** Sends every chunk as soon as it is there, in several frames, no faster than the client reads. */
export async function sendStream({ res, chunks, signal, cutAfterChunks }: StreamOptions): Promise<void> {
  res.flushHeaders();
  let turn = 0;
  try {
    for await (const chunk of chunks) {
      if (turn === cutAfterChunks) break;
      await write(res, Buffer.concat(splitAwkwardly(chunk, turn).map(payloadPart)), signal);
      turn += 1;
    }
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    res.end(modelStreamError(`The model's stream broke: ${message}`));
    return;
  }
  if (cutAfterChunks === undefined) res.end();
  else cutInsideFrame(res);
}

async function write(res: ServerResponse, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!res.write(bytes)) await once(res, 'drain', { signal });
}

function cutInsideFrame(res: ServerResponse): void {
  const frame = payloadPart(Buffer.from('data: {"choices":[{"delta":{"content":"never whole'));
  res.write(frame.subarray(0, frame.length / 2), () => res.destroy());
}
