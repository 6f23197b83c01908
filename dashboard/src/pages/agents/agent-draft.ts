import * as v from 'valibot';
import { documentAccount } from '../../api/account/account.ts';
import { recall, remember } from '../../api/account/tab-memory.ts';
import { AgentDraft } from './agent-values.ts';

/** What was changed and not saved, by agent. */
const Drafts = v.record(v.string(), AgentDraft);

/** More are not kept: those that were changed last. */
const maxDrafts = 20;

/** The draft of an agent that does not exist yet. */
export const newAgent = 'new';

function allDrafts(): v.InferOutput<typeof Drafts> {
  const account = documentAccount();
  return account === undefined ? {} : (recall(account, Drafts, 'agents') ?? {});
}

/** What this tab keeps of an agent that was changed and not saved, until the session ends. */
export const draftOf = (agent: string): AgentDraft => allDrafts()[agent] ?? {};

/** Keeps it over navigation and reload; an empty draft is none. */
export function keepDraft(agent: string, draft: AgentDraft): void {
  const account = documentAccount();
  if (account === undefined) return;
  const { [agent]: _replaced, ...others } = allDrafts();
  const all = Object.keys(draft).length === 0 ? others : { ...others, [agent]: draft };
  remember(account, Object.fromEntries(Object.entries(all).slice(-maxDrafts)), 'agents');
}
