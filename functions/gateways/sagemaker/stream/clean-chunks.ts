import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import { cleanText, TextCleaner } from '#domain/shared/text/clean-text.ts';

type Choice = ModelChunk['choices'][number];
type Call = NonNullable<NonNullable<Choice['delta']>['tool_calls']>[number];

/** Cleans the text and the calls of a stream's chunks (`cleanText`), including characters that are cut between chunks. */
export class ChunkCleaner {
  readonly #text = new TextCleaner();
  /** By the call's index, for its arguments. */
  readonly #calls = new Map<number, TextCleaner>();
  #isCompletion = false;

  /** The first choice of a chunk, as only one is requested; the one with the reason to end also has the rest of the text. */
  clean(chunk: ModelChunk): ModelChunk {
    const [choice] = chunk.choices;
    if (!choice) return chunk;
    const { text, delta, finish_reason: reason } = choice;
    this.#isCompletion ||= typeof text === 'string';
    if (delta?.content) delta.content = this.#text.push(delta.content);
    else if (text) choice.text = this.#text.push(text);
    for (const [position, call] of (delta?.tool_calls ?? []).entries()) this.#cleanCall(call, position);
    const rest = reason ? this.#text.rest() : '';
    if (rest && this.#isCompletion) choice.text = (choice.text ?? '') + rest;
    else if (rest) choice.delta = { ...delta, content: (delta?.content ?? '') + rest };
    return { ...chunk, choices: [choice] };
  }

  /** The rest of a text that ended without a reason. */
  rest(): ModelChunk | undefined {
    const text = this.#text.rest();
    if (text === '') return undefined;
    return { choices: [this.#isCompletion ? { text } : { delta: { content: text } }] };
  }

  #cleanCall(call: Call, position: number): void {
    const { function: called, index } = call;
    if (call.id) call.id = cleanText(call.id);
    if (called.name) called.name = cleanText(called.name);
    if (!called.arguments) return;
    const key = index ?? position;
    const cleaner = this.#calls.get(key) ?? new TextCleaner();
    this.#calls.set(key, cleaner);
    called.arguments = cleaner.push(called.arguments);
  }
}
