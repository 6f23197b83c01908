import * as v from 'valibot';
import { eventData, failureIn } from './openai-reply.ts';

const Chunk = v.object({
  choices: v.array(
    v.looseObject({
      text: v.nullish(v.string()),
      delta: v.nullish(v.looseObject({ content: v.nullish(v.string()), tool_calls: v.optional(v.array(v.unknown())) })),
      finish_reason: v.nullish(v.string()),
    }),
  ),
  usage: v.nullish(v.object({ prompt_tokens: v.number(), completion_tokens: v.number() })),
});

/** A token of text or a piece of a call, and why it was the last one; `failed` is the end of a generation that failed. */
export type TgiToken =
  | { readonly text: string; readonly call?: unknown; readonly finish?: 'stop_sequence' | 'length' | 'eos_token' }
  | { readonly failed: string };

/**
 * The engine's tokens as TGI makes them: it goes on until the text so far ends with a stop sequence, which is part of it,
 * the limit of tokens is reached, or the model ends.
 */
export async function* tgiTokens(
  chunks: AsyncIterable<Uint8Array>,
  stops: readonly string[],
): AsyncGenerator<TgiToken> {
  let text = '';
  for await (const data of eventData(chunks)) {
    if (data === '[DONE]') return;
    const event: unknown = JSON.parse(data);
    const failed = failureIn(event);
    if (failed !== undefined) {
      yield { failed };
      return;
    }
    const [choice] = v.parse(Chunk, event).choices;
    const piece = choice?.text ?? choice?.delta?.content ?? '';
    const [call] = choice?.delta?.tool_calls ?? [];
    text += piece;
    if (stops.some((stop) => text.endsWith(stop))) {
      yield { text: piece, finish: 'stop_sequence' };
      return;
    }
    if (call !== undefined) yield { text: '', call };
    else if (piece) yield { text: piece };
    if (choice?.finish_reason) yield { text: '', finish: choice.finish_reason === 'length' ? 'length' : 'eos_token' };
  }
}
