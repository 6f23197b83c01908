import type { OutputItem } from '#contract/inference/response-items.ts';
import { outputText } from './responses.ts';

type Message = Extract<OutputItem, { type: 'message' }>;
type Reasoning = Extract<OutputItem, { type: 'reasoning' }>;
type Call = Extract<OutputItem, { type: 'function_call' }>;

export const messageItem = (requestId: string, place: number, text: string): Message => ({
  type: 'message',
  id: `msg_${requestId}_${place}`,
  status: 'completed',
  role: 'assistant',
  content: [outputText(text)],
});

/** Returns the reasoning as a summary, because clients read only summaries. */
export const reasoningItem = (requestId: string, place: number, text: string): Reasoning => ({
  type: 'reasoning',
  id: `rs_${requestId}_${place}`,
  status: 'completed',
  summary: [{ type: 'summary_text', text }],
});

interface OpenText {
  readonly place: number;
  /** The item so far. */
  readonly item: Message | Reasoning;
  readonly with: (text: string) => Message | Reasoning;
  text: string;
}

/**
 * Writes the events of a stream in order, and collects its output. A text ends where another item begins. Calls end
 * with the stream, because some engines alternate between the arguments of several calls.
 */
export class ResponseEvents {
  readonly #output: OutputItem[] = [];
  readonly #calls = new Map<number, { readonly place: number; call: Call }>();
  #open: OpenText | undefined;
  #written: object[] = [];
  #sequence = 0;

  /** The items so far. Open items are incomplete. */
  get output(): readonly OutputItem[] {
    return this.#output.map((item, place) => {
      const current = place === this.#open?.place ? this.#open.with(this.#open.text) : item;
      return item.status === 'in_progress' ? { ...current, status: 'incomplete' } : current;
    });
  }

  write(type: string, fields: object): void {
    this.#written.push({ type, sequence_number: this.#sequence, ...fields });
    this.#sequence += 1;
  }

  /** Returns the events since the last call. */
  take(): readonly object[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }

  addText(delta: string, requestId: string): void {
    const open = this.#opened('message', (place, text) => messageItem(requestId, place, text));
    open.text += delta;
    this.write('response.output_text.delta', { ...at(open), content_index: 0, delta, logprobs: [] });
  }

  addReasoning(delta: string, requestId: string): void {
    const open = this.#opened('reasoning', (place, text) => reasoningItem(requestId, place, text));
    open.text += delta;
    this.write('response.reasoning_summary_text.delta', { ...at(open), summary_index: 0, delta });
  }

  /** `make` builds the item from its place and the number of earlier calls. */
  openCall(index: number, make: (place: number, count: number) => Call): void {
    this.#close(true);
    const place = this.#output.length;
    const call = make(place, this.#calls.size);
    this.#calls.set(index, { place, call });
    this.#add(call);
  }

  /** Ignores a call that was not opened. */
  addArguments(index: number, delta: string): void {
    const open = this.#calls.get(index);
    if (!open || delta === '') return;
    open.call = { ...open.call, arguments: open.call.arguments + delta };
    this.#output[open.place] = open.call;
    this.write('response.function_call_arguments.delta', { item_id: open.call.id, output_index: open.place, delta });
  }

  /** Ends all items. If the output was truncated, the last item is incomplete. */
  end(isComplete: boolean, requestId: string): readonly object[] {
    if (this.#output.length === 0) this.#opened('message', (place, text) => messageItem(requestId, place, text));
    const lastPlace = this.#output.length - 1;
    const isDone = (place: number): boolean => isComplete || place < lastPlace;
    this.#close(isDone(this.#open?.place ?? 0));
    for (const { place, call } of this.#calls.values()) {
      this.write('response.function_call_arguments.done', {
        item_id: call.id,
        output_index: place,
        name: call.name,
        arguments: call.arguments,
      });
      this.#done(place, { ...call, status: isDone(place) ? 'completed' : 'incomplete' });
    }
    return this.take();
  }

  #opened(type: OpenText['item']['type'], make: (place: number, text: string) => Message | Reasoning): OpenText {
    if (this.#open?.item.type === type) return this.#open;
    this.#close(true);
    const place = this.#output.length;
    const item = make(place, '');
    this.#add(item.type === 'message' ? { ...item, content: [] } : { ...item, summary: [] });
    const open: OpenText = { place, item, with: (text) => make(place, text), text: '' };
    this.#open = open;
    if (item.type === 'message')
      this.write('response.content_part.added', { ...at(open), content_index: 0, part: outputText('') });
    else this.write('response.reasoning_summary_part.added', { ...at(open), summary_index: 0, part: summaryText('') });
    return open;
  }

  #close(isComplete: boolean): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { text, place } = open;
    if (open.item.type === 'message') {
      this.write('response.output_text.done', { ...at(open), content_index: 0, text, logprobs: [] });
      this.write('response.content_part.done', { ...at(open), content_index: 0, part: outputText(text) });
    } else {
      this.write('response.reasoning_summary_text.done', { ...at(open), summary_index: 0, text });
      this.write('response.reasoning_summary_part.done', { ...at(open), summary_index: 0, part: summaryText(text) });
    }
    this.#done(place, { ...open.with(text), status: isComplete ? 'completed' : 'incomplete' });
  }

  #add(item: OutputItem): void {
    const place = this.#output.length;
    const begun: OutputItem = { ...item, status: 'in_progress' };
    this.#output.push(begun);
    this.write('response.output_item.added', { output_index: place, item: begun });
  }

  #done(place: number, item: OutputItem): void {
    this.#output[place] = item;
    this.write('response.output_item.done', { output_index: place, item });
  }
}

const at = ({ item, place }: OpenText) => ({ item_id: item.id, output_index: place });

const summaryText = (text: string) => ({ type: 'summary_text', text });
