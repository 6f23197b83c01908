import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { inferenceRoutes } from '#contract/routes/inference.ts';
import { useDraft } from '../../../api/draft.ts';
import { notify } from '../../../components/notifications.tsx';
import type { ChatBody } from '../../../lib/code/code-request.ts';
import type { Piece } from '../exchange/pieces.ts';
import { Figures, type ExchangeState, useExchange } from '../exchange/use-exchange.ts';
import { parseFunctions } from '../tab/parameters.tsx';
import { defaultSampling, isSendable, modelId, Sampling, samplingBody, textModels } from '../tab/sampling.ts';
import {
  type AssistantMessage,
  ChatItem,
  type ChatMessage,
  type Items,
  newItem,
  promptOf,
  withContent,
  withoutMessage,
} from './thread.ts';

export interface Thread {
  readonly place: 'first' | 'second';
  readonly model: string;
  readonly items: Items;
  readonly exchange: ExchangeState;
  /** Metrics of the last call, restored after a reload. */
  readonly figures: Figures | undefined;
}

/** The state before the last change, and a sentence that describes the change. */
interface Undoable {
  readonly change: string;
  readonly before: Pick<ChatDraft, 'items' | 'comparison'>;
}

/** A conversation with one model, or the same conversation with two, each continuing from its own responses. */
export function useChat() {
  const [draft, change] = useDraft(ChatDraft, empty, 'work');
  const [first, second] = [useExchange(), useExchange()];
  const [undoable, setUndoable] = useState<Undoable>();
  const { items, comparison, sampling } = draft;

  const figuresNow = ({ sent, receipt }: ExchangeState, kept: Figures | undefined) => (sent ? receipt : kept);
  const threads: readonly Thread[] = [
    { place: 'first', model: sampling.model, items, exchange: first, figures: figuresNow(first, draft.figures) },
    ...(comparison
      ? [
          {
            place: 'second' as const,
            ...comparison,
            exchange: second,
            figures: figuresNow(second, comparison.figures),
          },
        ]
      : []),
  ];
  const [ofFirst, ofSecond] = [first, second].map(({ isRunning, receipt }) => (isRunning ? undefined : receipt));
  useEffect(() => {
    if (ofFirst) change((before) => withPart(before, 'first', { figures: v.parse(Figures, ofFirst) }));
  }, [ofFirst, change]);
  useEffect(() => {
    if (ofSecond) change((before) => withPart(before, 'second', { figures: v.parse(Figures, ofSecond) }));
  }, [ofSecond, change]);
  const isRunning = first.isRunning || second.isRunning;
  /** Nothing is sent while a parameter is invalid. */
  const isBlocked = !isSendable(sampling) || parseFunctions(draft.functions).error !== undefined;

  function setItems({ place }: Thread, next: Items): void {
    change((before) => withPart(before, place, { items: next }));
  }

  /** Sends the conversation and appends the response. */
  async function run(thread: Thread, sent: Items): Promise<void> {
    change((before) => withPart(before, thread.place, { items: sent, figures: undefined }));
    const body = chatBody({ ...draft, sampling: { ...sampling, model: thread.model } }, sent);
    const { exchange } = thread;
    if (sampling.stream) {
      let reply: ChatItem | undefined;
      await exchange.stream(inferenceRoutes.createChatCompletion, { body }, (piece) => {
        reply = extendReply(reply, piece);
        setItems(thread, [...sent, reply]);
      });
      return;
    }
    const [choice] = (await exchange.call(inferenceRoutes.createChatCompletion, { body }))?.choices ?? [];
    if (choice) setItems(thread, [...sent, { ...newItem(choice.message), finishReason: choice.finish_reason }]);
  }

  function send(content: string): void {
    setUndoable(undefined);
    const item = newItem({ role: 'user', content });
    for (const thread of threads) void run(thread, [...thread.items, item]);
  }

  /** Reports invalid parameters, for actions whose buttons stay enabled. */
  function refuses(): boolean {
    if (isBlocked) notify({ message: t`Correct the parameters first.`, color: 'red' });
    return isBlocked;
  }

  /** Continues the thread that called the function. */
  function submitResult(thread: Thread, message: ChatMessage): void {
    if (refuses()) return;
    setUndoable(undefined);
    void run(thread, [...thread.items, newItem(message)]);
  }

  const rememberBefore = (change: string): void => setUndoable({ change, before: { items, comparison } });

  /** Sends the last message again, without its interrupted response. */
  function retry(thread: Thread): void {
    setUndoable(undefined);
    void run(thread, promptOf(thread.items));
  }

  function regenerate(thread: Thread): void {
    if (refuses()) return;
    rememberBefore(t`Response regenerated.`);
    void run(thread, promptOf(thread.items));
  }

  /** Edits the message in every thread, because they share the user's messages. */
  function edit(id: string, content: string): void {
    if (refuses()) return;
    rememberBefore(t`Message edited. Later messages were replaced.`);
    for (const thread of threads) {
      const edited = withContent(thread.items, id, content);
      if (edited) void run(thread, edited);
    }
  }

  function remove(id: string): void {
    rememberBefore(t`Message deleted.`);
    for (const thread of threads) setItems(thread, withoutMessage(thread.items, id));
  }

  function clear(): void {
    rememberBefore(t`New chat started.`);
    reset();
    change((before) => ({
      ...before,
      items: [],
      comparison: before.comparison && { ...before.comparison, items: [] },
    }));
  }

  /** The second thread starts as a copy of the first. */
  function setComparing(isComparing: boolean): void {
    reset();
    if (!isComparing && comparison && comparison.items.length > 0)
      rememberBefore(t`The conversation with ${{ model: comparison.model }} was closed.`);
    const model = textModels.find(({ id, minPlanRank }) => id !== sampling.model && minPlanRank === 1)?.id;
    change({ comparison: isComparing && model !== undefined ? { model, items, figures: undefined } : undefined });
  }

  function undo(): void {
    if (!undoable) return;
    reset();
    change(undoable.before);
    setUndoable(undefined);
  }

  function reset(): void {
    first.reset();
    second.reset();
    const part = { figures: undefined };
    change((before) => withPart(withPart(before, 'first', part), 'second', part));
  }

  function stop(): void {
    first.stop();
    second.stop();
  }

  return {
    draft,
    change,
    threads,
    isRunning,
    isBlocked,
    undoable,
    send,
    submitResult,
    retry,
    regenerate,
    edit,
    remove,
    clear,
    setComparing,
    undo,
    stop,
  };
}

/** Changes the conversation of one thread. */
function withPart(
  draft: ChatDraft,
  place: Thread['place'],
  part: Partial<Pick<ChatDraft, 'items' | 'figures'>>,
): ChatDraft {
  if (place === 'first') return { ...draft, ...part };
  return draft.comparison ? { ...draft, comparison: { ...draft.comparison, ...part } } : draft;
}

export type Chat = ReturnType<typeof useChat>;

/** Appends a piece to the reply so far. */
function extendReply(reply: ChatItem | undefined, { text, call, finishReason }: Piece): ChatItem {
  const before = reply?.message.role === 'assistant' ? reply.message : undefined;
  const called = before?.function_call;
  const message: AssistantMessage = {
    role: 'assistant',
    content: (before?.content ?? '') + text,
    ...((called ?? call) && {
      function_call: {
        name: (called?.name ?? '') + (call?.name ?? ''),
        arguments: (called?.arguments ?? '') + (call?.arguments ?? ''),
      },
    }),
  };
  return { ...(reply ?? newItem(message)), message, ...(finishReason !== undefined && { finishReason }) };
}

interface ChatParameters {
  readonly sampling: Sampling;
  readonly system: string;
  /** JSON text. */
  readonly functions: string;
}

export function chatBody({ sampling, system, functions }: ChatParameters, items: Items): ChatBody {
  const { list } = parseFunctions(functions);
  return {
    ...samplingBody(sampling),
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system } satisfies ChatMessage]),
      ...items.map((item) => item.message),
    ],
    ...(list.length > 0 && { functions: list, function_call: 'auto' as const }),
  };
}

const figures = v.fallback(v.optional(Figures), undefined);

const ChatDraft = v.object({
  items: v.pipe(v.array(ChatItem), v.readonly()),
  system: v.string(),
  functions: v.string(),
  sampling: v.fallback(Sampling, defaultSampling),
  isPlain: v.fallback(v.boolean(), false),
  figures,
  comparison: v.fallback(
    v.optional(v.object({ model: modelId, items: v.pipe(v.array(ChatItem), v.readonly()), figures })),
    undefined,
  ),
});
/**
 * A conversation with its parameters. `functions` is JSON text, `isPlain` disables Markdown, `comparison` is the second
 * model's conversation, and `figures` are metrics of each model's last call.
 */
type ChatDraft = v.InferOutput<typeof ChatDraft>;

const empty: ChatDraft = {
  items: [],
  system: '',
  functions: '',
  sampling: defaultSampling,
  isPlain: false,
  figures: undefined,
  comparison: undefined,
};
