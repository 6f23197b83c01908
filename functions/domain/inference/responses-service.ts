import { findModel } from '#contract/inference/models.ts';
import type { CompactedResponse, ResponseObject } from '#contract/inference/response-items.ts';
import type { CompactionRequest, ResponseRequest } from '#contract/inference/responses.ts';
import type { Clock, Tokenizer } from '../shared/ports.ts';
import { type ChatFormat, overhead, overheadPerMessage, promptTexts } from './chat.ts';
import type { Conversation, ModelMessage } from './conversation.ts';
import type { Inference } from './inference.ts';
import type { ModelUsage } from './model-stream.ts';
import { type ChatOrder, type Proof, TokenCount } from './order.ts';
import { requestIdOf, responsesFormat, type ResponsesFormat, usageOf } from './responses-format.ts';
import { compactionOf, conversationOfResponse, type Item, requestItems } from './responses.ts';
import { historyOf, noHistory, resolved, responseRetentionMs, type ResponseStore } from './stored-responses.ts';
import { StreamedResponse } from './streamed-response.ts';

/** The data that is stored with a response, collected before the model call. */
interface Draft {
  readonly accountId: number;
  readonly input: readonly Item[];
  readonly chain: readonly string[];
  readonly store: boolean;
  readonly format: ResponsesFormat;
}

type ResponseOrder = ChatOrder<ResponseObject>;

export interface Opening {
  readonly accountId: number;
  readonly requestId: string;
  readonly prove: Proof;
}

export interface ResponsesParts {
  readonly inference: Pick<Inference, 'orderChat' | 'chat' | 'streamChat'>;
  readonly store: () => Promise<ResponseStore>;
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
  /** Reports a response that could not be stored. */
  readonly onUnstored: (error: unknown) => void;
}

/** Maximum milliseconds that a reply waits for the store. */
const storeMs = 2000;

export function responsesService({ inference, store, tokenizer, clock, onUnstored }: ResponsesParts) {
  /** Keyed by the order's format, because reducing the order to a budget copies the order but keeps its format. */
  const drafts = new WeakMap<object, Draft>();

  function draftOf({ format }: ResponseOrder): Draft {
    const draft = drafts.get(format);
    if (!draft) throw new Error('a response is made from its own order');
    return draft;
  }

  /** Reads the conversation of a request from the store, after verifying the key. */
  async function contextOf(
    request: Pick<ResponseRequest, 'previous_response_id'> & { readonly truncation?: 'auto' | 'disabled' },
    given: ReturnType<typeof requestItems>,
    { accountId, prove }: Opening,
  ) {
    const { previous_response_id: previousId, truncation } = request;
    const now = clock.now();
    const isStored = previousId || given.some(({ type }) => type === 'item_reference');
    if (isStored) await prove();
    const query = previousId && { accountId, previousId, mayDrop: truncation === 'auto', now };
    const history = query ? await historyOf(await store(), query) : noHistory;
    const input = await resolved(store, accountId, given, now);
    return { input, chain: history.chain, items: [...history.items, ...input] };
  }

  /** Throws 404 if the request continues a response, or refers to an item, that is not stored. */
  async function order(request: ResponseRequest, opening: Opening): Promise<ResponseOrder> {
    const { accountId, requestId, prove } = opening;
    const given = requestItems(request.input, requestId);
    const { input, chain, items } = await contextOf(request, given, opening);
    const whole = conversationOfResponse(request, items);
    const conversation = request.truncation === 'auto' ? await truncated(whole, tokenizer, prove) : whole;
    const format = responsesFormat(request, () => Math.floor(clock.now() / 1000));
    drafts.set(format, { accountId, input, chain, store: request.store, format });
    // Preload the store, which is used at the end of the response.
    if (request.store) store().catch(() => undefined);
    return inference.orderChat(conversation, format, prove);
  }

  /** The response as the caller receives it: stored, unless the request or a failure prevents it. */
  async function kept(draft: Draft, response: ResponseObject): Promise<ResponseObject> {
    if (!draft.store) return response;
    const { accountId, input, chain } = draft;
    const expiresAt = clock.now() + responseRetentionMs;
    try {
      const writing = store().then((responses) => responses.put({ accountId, response, input, chain, expiresAt }));
      await within(storeMs, writing);
      return response;
    } catch (error) {
      onUnstored(error);
      return { ...response, store: false };
    }
  }

  async function create(order: ResponseOrder, requestId: string) {
    if (order.stream) throw new Error('a response that is not streamed has a whole reply');
    const { body, cost, usage } = await inference.chat(order, requestId);
    return { body: await kept(draftOf(order), body), cost, usage };
  }

  /** Stores a complete response before its last event. An interrupted one is not stored. */
  function stream(order: ResponseOrder, requestId: string): StreamedResponse {
    if (!order.stream) throw new Error('a response that is streamed has a streamed reply');
    const draft = draftOf(order);
    const { format } = draft;
    const reply = inference.streamChat(order, requestId);
    async function* chunks(): AsyncGenerator {
      for (let next = await reply.next(); !next.done; next = await reply.next()) yield next.value;
      const response = format.ended();
      if (response) yield* format.lastChunk(await kept(draft, response));
    }
    const usage = (): ModelUsage | undefined => reply.usage;
    const failureChunks = reply.failureChunks.bind(reply);
    return new StreamedResponse(
      chunks(),
      () => reply.cost(),
      () => reply.cancel(),
      usage,
      {
        failureChunks: (refusal) => failureChunks(refusal) ?? [],
      },
    );
  }

  async function orderCompaction(request: CompactionRequest, opening: Opening): Promise<ChatOrder<CompactedResponse>> {
    const given = requestItems(request.input ?? [], opening.requestId);
    const { items } = await contextOf(request, given, opening);
    const asked = requestItems(compactionPrompt, opening.requestId).filter((item) => item.type === 'message');
    const conversation = conversationOfResponse({ ...compactionDefaults, ...request }, [...items, ...asked]);
    return inference.orderChat(conversation, compactionFormat, opening.prove);
  }

  async function compact(order: ChatOrder<CompactedResponse>, requestId: string) {
    if (order.stream) throw new Error('a compaction is never streamed');
    return inference.chat(order, requestId);
  }

  return { order, create, stream, orderCompaction, compact };
}

const compactionPrompt =
  'Summarize the conversation above so that another assistant can continue it from the summary alone. State the goal, the facts, the decisions, the results of functions, and what remains to be done. Reply with the summary only.';

const compactionDefaults = {
  tool_choice: 'none',
  tools: undefined,
  max_output_tokens: undefined,
  temperature: 0,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  parallel_tool_calls: true,
  text: undefined,
  reasoning: undefined,
  stream: false,
} as const;

const compactionFormat: ChatFormat<CompactedResponse> = {
  maxCalls: 1,
  body: ({ content, usage }, about) => ({
    id: `resp_${requestIdOf(about)}`,
    object: 'response.compaction',
    created_at: about.created,
    output: [compactionOf(`cmp_${requestIdOf(about)}_0`, content)],
    usage: usageOf(usage),
  }),
  pieceChunks: () => [],
  endChunks: () => [],
};

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the response was not stored within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Share of the window that is left for the output, unless `max_output_tokens` is less. */
const outputShare = 0.25;

/**
 * Drops the oldest messages of a conversation that does not fit into the model's window. Keeps system messages, the
 * newest message, and the result of each call with the call.
 */
export async function truncated(conversation: Conversation, tokenizer: Tokenizer, prove: Proof): Promise<Conversation> {
  const { model, messages, functions, maxTokens = Number.POSITIVE_INFINITY } = conversation;
  const window = findModel(model, 'chat')?.contextWindow ?? 0;
  const room = window - Math.min(maxTokens, Math.floor(window * outputShare));
  const extra = overhead + overheadPerMessage * messages.length;
  const whole = new TokenCount(promptTexts(conversation), tokenizer);
  if (extra + (await whole.bound(room - extra, window, prove)) <= room) return conversation;

  const tokensOf = async (some: readonly ModelMessage[], offered: Conversation['functions'] = []): Promise<number> => {
    const count = new TokenCount(promptTexts({ messages: some, functions: offered }), tokenizer);
    return overheadPerMessage * some.length + (await count.upTo(window));
  };
  const isSystem = ({ role }: ModelMessage): boolean => role === 'system';
  const kept = new Set(messages.filter(isSystem));
  let left = room - overhead - (await tokensOf([...kept], functions));
  for (const [index, group] of groupsOf(messages.filter((message) => !isSystem(message)))
    .toReversed()
    .entries()) {
    left -= await tokensOf(group);
    if (left < 0 && index > 0) break;
    for (const message of group) kept.add(message);
  }
  return { ...conversation, messages: messages.filter((message) => kept.has(message)) };
}

/** A message with the results of its calls. */
function groupsOf(messages: readonly ModelMessage[]): ModelMessage[][] {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    if (message.role === 'tool' && group) group.push(message);
    else groups.push([message]);
  }
  return groups;
}
