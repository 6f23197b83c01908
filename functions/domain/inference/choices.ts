import { failingTogether } from '../shared/concurrency.ts';
import { type ChatFormat, nextSeed } from './chat.ts';
import type { CompletionFormat, Prompt } from './completion.ts';
import type { Conversation } from './conversation.ts';
import type { Inference, Priced } from './inference.ts';
import { addUsage, type ModelUsage } from './model-stream.ts';
import type { ModelGateway, ChatOrder, CompletionOrder, Order, Proof } from './order.ts';
import { StreamedResponse } from './streamed-response.ts';

/** Choices of one request. Each is a separate model call and charged like one, in one admission. */
export interface ChoicesOrder<One extends Order> extends Order {
  readonly choices: readonly One[];
}

type Reducible<One> = Omit<Order, 'within'> & { readonly within?: (budget: number) => Promise<One | undefined> };

/** Repeats an order for `n` choices. `choice` derives the order of one choice from its index. */
function orderChoices<One extends Reducible<One>>(
  one: One,
  n: number,
  choice: (one: One, index: number) => One,
): ChoicesOrder<One> {
  const { affordableOutput }: Pick<Order, 'affordableOutput'> = one;
  const choices = Array.from({ length: n }, (_, index) => (index === 0 ? one : choice(one, index)));
  async function reduced(budget: number): Promise<ChoicesOrder<One> | undefined> {
    const less = await one.within?.(Math.floor(budget / n));
    return less && orderChoices(less, n, choice);
  }
  const order: Omit<Order, 'within'> = one;
  return {
    ...order,
    amount: n * one.amount,
    call: { prepare: (literals) => choices.forEach(({ call }) => call?.prepare(literals)) },
    ...(one.within && { within: reduced }),
    ...(affordableOutput && { affordableOutput: (budget: number) => affordableOutput(Math.floor(budget / n)) }),
    choices,
  };
}

/** The response of each choice. */
export type Bodies<Body> = readonly [Body, ...Body[]];

interface PricedChoices<Body> {
  readonly bodies: Bodies<Body>;
  readonly cost: number;
  readonly usage: ModelUsage;
}

/** Runs all choices at the same time. The first failure cancels the others and fails the call. */
async function runChoices<One extends Order, Body>(
  choices: readonly One[],
  run: (one: One, signal: AbortSignal | undefined) => Promise<Priced<Body>>,
): Promise<PricedChoices<Body>> {
  const runAll = (signal?: AbortSignal) => Promise.all(choices.map((one) => run(one, signal)));
  const [first, ...others] = await (choices.length === 1 ? runAll() : failingTogether(undefined, runAll));
  if (!first) throw new RangeError('An order has at least one choice.');
  return {
    bodies: [first.body, ...others.map(({ body }) => body)],
    cost: others.reduce((sum, { cost }) => sum + cost, first.cost),
    usage: others.reduce((sum, { usage }) => addUsage(sum, usage), first.usage),
  };
}

/** Joins the streams of several choices, whose chunks name their choice. The first failure ends all of them. */
function joinStreams(
  streams: readonly StreamedResponse[],
  totalChunks: (usage: ModelUsage) => readonly unknown[],
): StreamedResponse {
  const [only] = streams;
  if (only && streams.length === 1) return only;
  const cancel = () => streams.forEach((stream) => stream.cancel());
  const usage = () => streams.flatMap((stream) => stream.usage ?? []).reduce(addUsage, noUsage);

  async function* chunks(): AsyncGenerator {
    const read = async (stream: StreamedResponse) => ({ stream, result: await stream.next() });
    const next = (stream: StreamedResponse) => {
      const reading = read(stream);
      // The race reports a failure. After a disconnect no race runs, and the failure is ignored.
      reading.catch(() => undefined);
      return reading;
    };
    const reading = new Map(streams.map((stream) => [stream, next(stream)]));
    try {
      while (reading.size > 0) {
        const { stream, result } = await Promise.race(reading.values());
        if (result.done) reading.delete(stream);
        else {
          reading.set(stream, next(stream));
          yield result.value;
        }
      }
      yield* totalChunks(usage());
    } catch (error) {
      cancel();
      throw error;
    }
  }
  const cost = async () => {
    const costs = await Promise.all(streams.map((stream) => stream.cost()));
    return costs.reduce((sum, one) => sum + one, 0);
  };
  return new StreamedResponse(chunks(), cost, cancel, usage);
}

const noUsage: ModelUsage = { prompt_tokens: 0, completion_tokens: 0 };

export interface ChoicesRequest {
  readonly n: number;
  readonly prove: Proof;
}

/** Each choice has the next seed, because the same seed would return the same choice. */
const seedOf = ({ seed }: Readonly<Record<string, unknown>>, index: number) =>
  typeof seed === 'number' ? { seed: nextSeed(seed, index) } : {};

/** The methods of `Inference` for several choices, each in the format of its index. */
export function inChoices(inference: Inference, gateway: ModelGateway) {
  type Chats<Body> = ChoicesOrder<ChatOrder<Body>>;
  type Completions<Body> = ChoicesOrder<CompletionOrder<Body>>;

  return {
    async orderChat<Body>(
      conversation: Conversation,
      formatOf: (index: number) => ChatFormat<Body>,
      { n, prove }: ChoicesRequest,
    ): Promise<Chats<Body>> {
      return orderChoices(await inference.orderChat(conversation, formatOf(0), prove), n, (one, index) => {
        const request = { ...one.request, ...seedOf(one.request, index) };
        const order = { ...one, request, format: formatOf(index) };
        return one.stream
          ? { ...order, stream: true, call: gateway.chatStream(one.model, request) }
          : { ...order, stream: false, call: gateway.chat(one.model, request) };
      });
    },

    async orderCompletion<Body>(
      prompt: Prompt,
      formatOf: (index: number) => CompletionFormat<Body>,
      { n, prove }: ChoicesRequest,
    ): Promise<Completions<Body>> {
      return orderChoices(await inference.orderCompletion(prompt, formatOf(0), prove), n, (one, index) => {
        const request = { ...one.request, ...seedOf(one.request, index) };
        const order = { ...one, request, format: formatOf(index) };
        return one.stream
          ? { ...order, stream: true, call: gateway.completionStream(one.model, request) }
          : { ...order, stream: false, call: gateway.completion(one.model, request) };
      });
    },

    chat<Body>({ choices }: Chats<Body>, requestId: string): Promise<PricedChoices<Body>> {
      const whole = choices.flatMap((one) => (one.stream ? [] : [one]));
      return runChoices(whole, (one, signal) => inference.chat(one, requestId, signal));
    },

    complete<Body>({ choices }: Completions<Body>, requestId: string): Promise<PricedChoices<Body>> {
      const whole = choices.flatMap((one) => (one.stream ? [] : [one]));
      return runChoices(whole, (one, signal) => inference.complete(one, requestId, signal));
    },

    streamChat({ model, choices }: Chats<unknown>, requestId: string): StreamedResponse {
      const streams = choices.flatMap((one) => (one.stream ? [inference.streamChat(one, requestId)] : []));
      const named = inference.about('chatcmpl', requestId, model);
      return joinStreams(streams, (usage) => choices[0]?.format.totalChunks?.(usage, named) ?? []);
    },

    streamCompletion({ model, choices }: Completions<unknown>, requestId: string): StreamedResponse {
      const streams = choices.flatMap((one) => (one.stream ? [inference.streamCompletion(one, requestId)] : []));
      const named = inference.about('cmpl', requestId, model);
      return joinStreams(streams, (usage) => choices[0]?.format.totalChunks?.(usage, named) ?? []);
    },
  };
}
