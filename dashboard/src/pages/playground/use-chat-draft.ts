import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { documentAccount } from '../../api/account.ts';
import { recall, remember } from '../../api/tab-memory.ts';
import { ChatItem } from './chat-item.ts';

const ChatDraft = v.object({ items: v.array(ChatItem), system: v.string(), functions: v.string() });
/** A conversation with its system message and its functions, as JSON text. */
export type ChatDraft = v.InferOutput<typeof ChatDraft>;

const empty: ChatDraft = { items: [], system: '', functions: '' };

/** The conversation of this tab, which survives navigation and reload, and ends with the session. */
export function useChatDraft(): readonly [ChatDraft, (part: Partial<ChatDraft>) => void] {
  const account = documentAccount();
  const [draft, setDraft] = useState(() => (account === undefined ? empty : (recall(account, ChatDraft) ?? empty)));
  useEffect(() => {
    if (account !== undefined) remember(account, draft);
  }, [account, draft]);
  return [draft, (part) => setDraft((before) => ({ ...before, ...part }))];
}
