import * as v from 'valibot';
import { containerError, type Engine, type EngineReply } from '../sagemaker/engine.ts';
import { chat } from './chat.ts';
import { complete } from './completion.ts';
import { embed } from './embeddings.ts';
import { ChatBody, CompletionBody, EmbeddingsBody, firstProblem } from './request.ts';
import type { Tempo } from './sse.ts';

export interface DemoOptions {
  /** Milliseconds between two tokens of a stream, default 30; the other pauses follow it. */
  readonly wordDelayMs?: number;
}

type Work<Body> = (body: Body, tempo: Tempo, signal: AbortSignal) => Promise<EngineReply>;

/**
 * A stand-in for a language model that speaks vLLM's dialect and names itself a demo. The same request gets the same
 * response, up to `created`. The body's shape decides: `messages` is chat, `prompt` completion, `input` embeddings.
 */
export function demoEngine({ wordDelayMs = 30 }: DemoOptions = {}): Engine {
  const tempo: Tempo = {
    betweenMs: wordDelayMs,
    firstMs: Math.min(wordDelayMs * 3.4, 100),
    plainMs: Math.min(wordDelayMs, 50),
  };

  async function run<Schema extends v.GenericSchema>(
    schema: Schema,
    body: unknown,
    signal: AbortSignal,
    work: Work<v.InferOutput<Schema>>,
  ): Promise<EngineReply> {
    const parsed = v.safeParse(schema, body);
    return parsed.success ? work(parsed.output, tempo, signal) : containerError(400, firstProblem(parsed.issues));
  }

  return {
    async invoke(body, signal) {
      const shape = typeof body === 'object' && body !== null ? body : {};
      if ('messages' in shape) return run(ChatBody, body, signal, chat);
      if ('prompt' in shape) return run(CompletionBody, body, signal, complete);
      if ('input' in shape) return run(EmbeddingsBody, body, signal, embed);
      return containerError(400, 'The body needs one of messages, prompt or input.');
    },
  };
}
