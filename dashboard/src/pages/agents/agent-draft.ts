import * as v from 'valibot';
import { recall, remember } from '../../api/account-storage.ts';
import { documentOwner } from '../../api/account.ts';
import { AgentDraft } from './agent.ts';

/** Unsaved changes by agent id. */
const Drafts = v.record(v.string(), AgentDraft);

/** Older drafts are dropped. */
const maxDrafts = 20;

/** Name of the draft of a new agent. */
export const newAgent = 'new';

function allDrafts(): v.InferOutput<typeof Drafts> {
  const owner = documentOwner();
  return owner === undefined ? {} : (recall(owner, Drafts, 'agents') ?? {});
}

/** Returns the unsaved changes of an agent, kept in this tab until the session ends. */
export const draftOf = (agent: string): AgentDraft => allDrafts()[agent] ?? {};

/** Stores the draft. An empty draft deletes it. */
export function keepDraft(agent: string, draft: AgentDraft): void {
  const owner = documentOwner();
  if (owner === undefined) return;
  const { [agent]: _replaced, ...others } = allDrafts();
  const all = Object.keys(draft).length === 0 ? others : { ...others, [agent]: draft };
  remember(owner, Object.fromEntries(Object.entries(all).slice(-maxDrafts)), 'agents');
}
