import * as v from 'valibot';
import { recall, remember } from '../../api/account-storage.ts';
import { documentAccount } from '../../api/account.ts';
import { AgentDraft } from './agent.ts';

/** Unsaved changes by agent id. */
const Drafts = v.record(v.string(), AgentDraft);

/** Older drafts are dropped. */
const maxDrafts = 20;

/** Name of the draft of a new agent. */
export const newAgent = 'new';

function allDrafts(): v.InferOutput<typeof Drafts> {
  const account = documentAccount();
  return account === undefined ? {} : (recall(account, Drafts, 'agents') ?? {});
}

/** Returns the unsaved changes of an agent, kept in this tab until the session ends. */
export const draftOf = (agent: string): AgentDraft => allDrafts()[agent] ?? {};

/** Stores the draft. An empty draft deletes it. */
export function keepDraft(agent: string, draft: AgentDraft): void {
  const account = documentAccount();
  if (account === undefined) return;
  const { [agent]: _replaced, ...others } = allDrafts();
  const all = Object.keys(draft).length === 0 ? others : { ...others, [agent]: draft };
  remember(account, Object.fromEntries(Object.entries(all).slice(-maxDrafts)), 'agents');
}
