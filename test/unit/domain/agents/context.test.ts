import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChosenContext, type ContextInput, contextPlan, systemText } from '#domain/agents/context.ts';
import type { Message } from '#domain/agents/conversation.ts';

/** One token per character, so that sums are easy to check. */
const tokenizer = { count: async (text: string) => text.length };
const overhead = 3;
const overheadPerMessage = 4;

const about = { createdAt: 0, expiresAt: 1 };
const sized = fc.integer({ min: 5, max: 60 });

/** Messages, newest last. A call is followed by its result. */
const groups = fc.array(fc.tuple(fc.constantFrom('text', 'called'), sized), { maxLength: 20 });
function messagesOf(list: readonly (readonly [string, number])[]): Message[] {
  const bare = list.flatMap(([kind, tokens], index): Omit<Message, 'place'>[] => {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    if (kind === 'text') return [{ role, content: 'x', tokens, ...about }];
    const call = { name: 'f', arguments: '{}' };
    return [
      { role: 'assistant', content: '', call, tokens, ...about },
      { role: 'function', name: 'f', content: 'y', tokens, ...about },
    ];
  });
  return bare.map((message, place) => ({ place, ...message }));
}

const passages = fc.array(fc.string({ unit: fc.constantFrom('a', '"', '\n', 'é', '<'), maxLength: 80 }), {
  maxLength: 4,
});

interface Case {
  readonly list: [string, number][];
  readonly fresh: number;
  readonly window: number;
  readonly maxTokens: number | null;
  readonly truncation: 'drop' | 'summarize' | 'error';
  readonly texts: string[];
  readonly instructions: string;
  readonly summarizedUpTo: number | null;
}

const cases: fc.Arbitrary<Case> = fc.record({
  list: groups,
  fresh: sized,
  window: fc.integer({ min: 50, max: 1500 }),
  maxTokens: fc.option(fc.integer({ min: 1, max: 100 })),
  truncation: fc.constantFrom('drop', 'summarize', 'error'),
  texts: passages,
  instructions: fc.constantFrom('', 'You help guests.'),
  summarizedUpTo: fc.option(fc.integer({ min: 0, max: 12 })),
});

function choicesOf(given: Case): ContextInput {
  const { list, fresh, window, maxTokens, truncation, texts, instructions, summarizedUpTo: upTo } = given;
  const earlier = messagesOf(list);
  const required: Message[] = [{ place: earlier.length, role: 'user', content: 'z', tokens: fresh, ...about }];
  // A summary covers whole groups, so it ends between groups.
  const isEnd = upTo !== null && earlier[upTo]?.role !== 'function';
  return {
    agent: { model: 'svc-1', instructions, functions: [], maxTokens, truncation },
    window,
    required,
    earlier,
    passages: texts.map((text, index) => ({ documentId: `doc_${index}`, name: 'n', start: 0, end: 1, text, score: 1 })),
    summary: isEnd ? { text: 'Earlier.', upTo } : undefined,
  };
}

const sum = (messages: readonly Message[]): number => messages.reduce((total, { tokens }) => total + tokens, 0);
const systemTokens = (text: string | undefined): number => (text === undefined ? 0 : overheadPerMessage + text.length);

/** The planned context, or undefined if it is refused, with a summary of the dropped messages if requested. */
async function chosen(choices: ContextInput, summary?: string) {
  const plan = await contextPlan(choices, tokenizer).catch((error: { code?: string }) => {
    expect(error.code).toBe('CONTEXT_LENGTH_EXCEEDED');
  });
  if (!plan) return undefined;
  const old = await plan.toSummarize();
  const last = old.at(-1);
  const made = last && summary !== undefined ? { text: summary, upTo: last.place + 1 } : undefined;
  return { old, made, context: await plan.context(made ?? choices.summary) };
}

type Chosen = NonNullable<Awaited<ReturnType<typeof chosen>>>;

function check(holds: (choices: ContextInput, result: Chosen) => void): Promise<void> {
  const property = fc.asyncProperty(cases, fc.constantFrom(undefined, 'A summary.'), async (given, summary) => {
    const choices = choicesOf(given);
    const result = await chosen(choices, summary);
    if (result) holds(choices, result);
  });
  return fc.assert(property, { numRuns: 500 });
}

const earlierSent = ({ messages }: ChosenContext, { required }: ContextInput) => messages.slice(0, -required.length);

describe('the context of a turn', () => {
  it('is counted to the token, and fits into the window with its reply', () =>
    check(({ window, agent }, { context }) => {
      expect(context.used).toBe(overhead + systemTokens(context.system) + sum(context.messages));
      expect(context.used + context.maxTokens).toBeLessThanOrEqual(window);
      expect(context.maxTokens).toBeGreaterThanOrEqual(agent.maxTokens ?? 1);
    }));

  it('ends with the new message, preceded by the latest earlier ones without gaps', () =>
    check((choices, { context }) => {
      const places = context.messages.map(({ place }) => place);
      expect(context.messages.slice(-choices.required.length)).toEqual(choices.required);
      expect(places).toEqual(places.map((_, index) => (places.at(-1) ?? 0) - places.length + 1 + index));
    }));

  it('never separates a call from its result', () =>
    check((_, { context: { messages } }) => {
      for (const [at, { role, call }] of messages.entries()) {
        if (call) expect(messages[at + 1]?.role).toBe('function');
        if (role === 'function') expect(messages[at - 1]?.call).toBeDefined();
      }
    }));

  it('starts with the instructions, then passages in order, which fill at most half of the room', () =>
    check((choices, { context, made }) => {
      const { agent, summary } = choices;
      const { instructions, truncation } = agent;
      const kept = truncation === 'summarize' ? (made ?? summary)?.text : undefined;
      const possible = [kept, undefined].map((one) =>
        systemText({ instructions, summary: one, passages: context.passages }),
      );
      expect([...possible, instructions || undefined]).toContain(context.system);
      const order = context.passages.map(({ documentId }) => documentId);
      expect(order).toEqual(order.toSorted());
      const plain = systemTokens(instructions || undefined);
      const room = Math.max(0, choices.window - overhead - plain - sum(choices.required));
      if (context.passages.length > 0 && truncation === 'drop')
        expect(systemTokens(context.system) - plain).toBeLessThanOrEqual(room / 2);
    }));
});

describe('the truncation mode', () => {
  it('“error” sends every message or refuses the new one', () =>
    check((choices, { context, old }) => {
      if (choices.agent.truncation !== 'error') return;
      expect([earlierSent(context, choices), old]).toEqual([choices.earlier, []]);
    }));

  it('“summarize” covers every unsent message by the summary, if one was made', () =>
    check((choices, { context, made }) => {
      if (choices.agent.truncation !== 'summarize' || !made) return;
      const first = earlierSent(context, choices)[0]?.place ?? choices.earlier.length;
      expect(made.upTo).toBeGreaterThan(choices.summary?.upTo ?? 0);
      if (context.system?.includes('"summary"')) expect(first).toBeGreaterThanOrEqual(made.upTo);
    }));

  it('“drop” makes no summary, and refuses only a message that does not fit alone', async () => {
    const property = fc.asyncProperty(cases, async (given) => {
      const choices = choicesOf({ ...given, truncation: 'drop' });
      const result = await chosen(choices);
      const { agent, required, window } = choices;
      const needed = overhead + systemTokens(agent.instructions || undefined) + sum(required) + (agent.maxTokens ?? 1);
      expect(result !== undefined).toBe(needed <= window);
      expect(result?.old ?? []).toEqual([]);
      expect(result?.context.system ?? '').not.toContain('"summary"');
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

it('a function result whose call has expired is not sent, and neither is a call without its result', async () => {
  const [call, result, ...rest] = messagesOf([
    ['called', 10],
    ['text', 10],
    ['called', 10],
  ]);
  const base = choicesOf({
    list: [],
    fresh: 5,
    window: 1000,
    maxTokens: 5,
    truncation: 'drop',
    texts: [],
    instructions: '',
    summarizedUpTo: null,
  });
  const sent = async (earlier: readonly (Message | undefined)[]) => {
    const plan = await contextPlan({ ...base, earlier: earlier.filter((one) => one !== undefined) }, tokenizer);
    return (await plan.context()).messages.length - 1;
  };
  expect(await Promise.all([sent([call, result, ...rest]), sent([result, ...rest]), sent([call, ...rest])])).toEqual([
    5, 3, 3,
  ]);
});
