import * as v from 'valibot';
import { containerError, type Engine, type EngineReply } from '../sagemaker/engine.ts';
import { countTokens, hash, isCommon } from '../sagemaker/words.ts';
import { chat, complete, maxModelLength } from './chat.ts';
import { ChatBody, CompletionBody, EmbeddingsBody, firstProblem, pause, type Tempo } from './request.ts';

export interface DemoOptions {
  /** Milliseconds between two tokens of a stream. Default: 30. Other delays are derived from it. */
  readonly wordDelayMs?: number;
}

type Work<Body> = (body: Body, tempo: Tempo, signal: AbortSignal) => Promise<EngineReply>;

/**
 * A stand-in for a language model with vLLM's API that identifies itself as a demo. Equal requests get equal responses,
 * except for `created`. Handles chat (`messages`), completions (`prompt`) and embeddings (`input`).
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

/** Returns one unit vector per text. Texts with common words or word parts have similar vectors. */
export async function embed(body: EmbeddingsBody, tempo: Tempo, signal: AbortSignal): Promise<EngineReply> {
  const counts = body.input.map(countTokens);
  const maxCount = Math.max(...counts);
  if (maxCount > maxModelLength) {
    return containerError(
      400,
      `This model's maximum context length is ${maxModelLength} tokens. However, you requested ${maxCount} tokens in the input for embedding generation. Please reduce the length of the input.`,
    );
  }
  const data = body.input.map((text, index) => {
    const vector = embedding(text, body.dimensions);
    return { object: 'embedding', index, embedding: body.encoding_format === 'base64' ? base64(vector) : [...vector] };
  });
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  await pause(tempo.plainMs, signal);
  return { kind: 'json', status: 200, body: { object: 'list', data, model: body.model, usage } };
}

function embedding(text: string, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const [feature, weight] of features(text)) {
    const place = hash(feature);
    const at = place % dimensions;
    sums[at] = (sums[at] ?? 0) + (place >>> 31 === 0 ? weight : -weight);
  }
  const length = Math.sqrt(sums.reduce((total, value) => total + value * value, 0));
  if (length < 1e-9) sums[0] = 1;
  return Float32Array.from(sums, (value) => (length < 1e-9 ? value : value / length));
}

/** Words weigh most, their trigrams less, and common words little. A text without words is a separate feature. */
function features(text: string): [string, number][] {
  const words =
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0) return [[`mark ${text}`, 1]];
  const counts = Map.groupBy(words, (word) => word);
  return [...counts].flatMap(([word, { length: count }]): [string, number][] => {
    const weight = (isCommon(word) ? 0.1 : 1) * count;
    return [
      [`word ${word}`, weight],
      ...trigrams(word).map((gram): [string, number] => [`part ${gram}`, weight * 0.6]),
    ];
  });
}

function trigrams(word: string): string[] {
  const padded = `^${word}$`;
  return Array.from({ length: Math.max(padded.length - 2, 0) }, (_, start) => padded.slice(start, start + 3));
}

/** Little-endian 32-bit floats, as OpenAI clients expect. */
function base64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
