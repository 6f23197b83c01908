import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import { StopCutter } from '#domain/inference/streams/stop-sequences.ts';
import { type ChunkSource, modelChunks } from './model-chunks.ts';

type Choice = ModelChunk['choices'][number];

/**
 * Chunks up to the first stop sequence, also where it came in pieces. A model that runs on past it is left there, and its
 * usage with it; one that has ended may still report its usage.
 */
export function stoppedChunks(source: ChunkSource, stops: readonly string[]): AsyncGenerator<ModelChunk> {
  const chunks = modelChunks(source);
  return stops.length === 0 ? chunks : cutChunks(chunks, stops);
}

async function* cutChunks(chunks: AsyncIterable<ModelChunk>, stops: readonly string[]): AsyncGenerator<ModelChunk> {
  const cutter = new StopCutter(stops);
  let last: Choice = {};
  let hasStopped = false;
  for await (const chunk of chunks) {
    const [choice] = chunk.choices;
    if (hasStopped || !choice) {
      yield { ...chunk, choices: [] };
      continue;
    }
    if (choice.delta?.tool_calls) yield* held(cutter, last);
    const { text, stopped } = cutter.push(textOf(choice));
    if (stopped) yield { ...chunk, choices: [{ ...withText(choice, text), finish_reason: 'stop' }] };
    else yield { ...chunk, choices: [withText(choice, choice.finish_reason ? text + cutter.rest() : text)] };
    if (stopped && !choice.finish_reason) return;
    hasStopped = stopped;
    last = choice;
  }
  yield* held(cutter, last);
}

/** What was held back of the text, when it ends without a reason or a call begins. */
function* held(cutter: StopCutter, like: Choice): Generator<ModelChunk> {
  const text = cutter.rest();
  if (text) yield { choices: [typeof like.text === 'string' ? { text } : { delta: { content: text } }] };
}

const textOf = ({ text, delta }: Choice): string => text ?? delta?.content ?? '';

function withText(choice: Choice, text: string): Choice {
  if (typeof choice.text === 'string') return { ...choice, text };
  const hasContent = typeof choice.delta?.content === 'string' || text !== '';
  return hasContent ? { ...choice, delta: { ...choice.delta, content: text } } : choice;
}
