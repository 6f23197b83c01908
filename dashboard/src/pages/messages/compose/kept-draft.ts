import { documentAccount } from '../../../api/account/account.ts';
import { recall, remember } from '../../../api/account/tab-memory.ts';
import { Draft, emptyDraft } from './draft.ts';

/** What this tab keeps of a message that was typed and not sent, until the session ends. */
export function keptDraft(): Draft {
  const account = documentAccount();
  return (account !== undefined && recall(account, Draft, 'message')) || emptyDraft;
}

/** Keeps it over navigation and reload. */
export function keepDraft(draft: Draft): void {
  const account = documentAccount();
  if (account !== undefined) remember(account, draft, 'message');
}
