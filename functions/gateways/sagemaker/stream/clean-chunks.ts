import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import { cleanText, TextCleaner } from '#domain/shared/text/clean-text.ts';

type Choice = ModelChunk['choices'][number];
type Call = NonNullable<NonNullable<Choice['delta']>['tool_calls']>[number];

/** Cleans the text and the calls of a stream's chunks (`cleanText`), including characters that are cut between chunks. */
export class ChunkCleaner {
  readonly #text = new TextCleaner();
  readonly #content = new TextCleaner();
  /** By the call's index, for its arguments. */
  readonly #calls = new Map<number, TextCleaner>();

  /** The first choice of a chunk, as only one is requested. The one with the reason to end also has the rest of the text. */
  clean(chunk: ModelChunk): ModelChunk {
    const [choice] = chunk.choices;
    if (!choice) return chunk;
    const { text, delta, finish_reason: reason } = choice;
    if (text) choice.text = this.#text.push(text);
    if (delta?.content) delta.content = this.#content.push(delta.content);
    for (const [position, call] of (delta?.tool_calls ?? []).entries()) this.#cleanCall(call, position);
    if (reason) addRest(choice, this.#text.rest(), this.#content.rest());
    return { ...chunk, choices: [choice] };
  }

  /** The rest of a text that ended without a reason. */
  rest(): ModelChunk | undefined {
    const choice: Choice = {};
    addRest(choice, this.#text.rest(), this.#content.rest());
    return choice.text || choice.delta ? { choices: [choice] } : undefined;
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

function addRest(choice: Choice, text: string, content: string): void {
  if (text) choice.text = (choice.text ?? '') + text;
  if (content) choice.delta = { ...choice.delta, content: (choice.delta?.content ?? '') + content };
}
