import { setTimeout } from 'node:timers/promises';
import type { EngineReply } from '../sagemaker/engine.ts';

/** The events of a stream: those before the first token, one per token, and those after the last. */
export interface Events {
  readonly head: readonly unknown[];
  readonly tokens: readonly unknown[];
  readonly tail: readonly unknown[];
}

/** Milliseconds before the first token of a stream, between two, and before a whole reply. */
export interface Tempo {
  readonly firstMs: number;
  readonly betweenMs: number;
  readonly plainMs: number;
}

/** Server-sent events in the tempo of a model, closed by `[DONE]`. */
export function eventStream(events: Events, tempo: Tempo, signal: AbortSignal): EngineReply {
  return { kind: 'stream', contentType: 'text/event-stream; charset=utf-8', chunks: paced(events, tempo, signal) };
}

async function* paced({ head, tokens, tail }: Events, tempo: Tempo, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await pause(tempo.firstMs, signal);
  for (const event of head) yield encode(event);
  for (const [index, event] of tokens.entries()) {
    if (index > 0) await pause(tempo.betweenMs, signal);
    yield encode(event);
  }
  for (const event of tail) yield encode(event);
  yield Buffer.from('data: [DONE]\n\n');
}

function encode(event: unknown): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}

/** Rejects when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms > 0) await setTimeout(ms, undefined, { signal });
}
