import { useCallback, useEffect, useState } from 'react';
import * as v from 'valibot';
import { documentAccount } from '../../../../api/account/account.ts';
import { recall, remember } from '../../../../api/account/tab-memory.ts';
import { Figures } from '../../exchange/receipt.ts';
import { defaultSampling, modelId, Sampling } from '../../parameters/sampling.ts';
import { ChatItem } from './chat-item.ts';

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
 * A conversation with its system message, functions (JSON text) and parameters. `isPlain`: without Markdown.
 * `comparison`: the second model and its conversation. `figures`: metrics of each model's last call.
 */
export type ChatDraft = v.InferOutput<typeof ChatDraft>;

const empty: ChatDraft = {
  items: [],
  system: '',
  functions: '',
  sampling: defaultSampling,
  isPlain: false,
  figures: undefined,
  comparison: undefined,
};

type Change = (change: Partial<ChatDraft> | ((before: ChatDraft) => ChatDraft)) => void;

/** The conversation of this tab, which survives navigation and reload, and ends with the session. */
export function useChatDraft(): readonly [ChatDraft, Change] {
  const account = documentAccount();
  const [draft, setDraft] = useState(() => (account === undefined ? empty : (recall(account, ChatDraft) ?? empty)));
  useEffect(() => {
    if (account !== undefined) remember(account, draft);
  }, [account, draft]);
  const change: Change = useCallback(
    (next) => setDraft((before) => (typeof next === 'function' ? next(before) : { ...before, ...next })),
    [],
  );
  return [draft, change];
}
