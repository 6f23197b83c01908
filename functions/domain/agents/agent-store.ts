import type { Agent, AgentRef, Page } from './agent.ts';

export interface PageRequest {
  readonly limit: number;
  /** Id of the last one of the page before. */
  readonly cursor?: string | undefined;
}

/** The agents of accounts. */
export interface AgentStore {
  find(ref: AgentRef): Promise<Agent | undefined>;
  /** Newest first. */
  page(accountId: number, request: PageRequest): Promise<Page<Agent>>;
  /** False when the account has as many as it may. */
  create(agent: Agent): Promise<boolean>;
  /** `after.version` is one above the stored one; false when that has changed meanwhile, or is gone. */
  change(after: Agent): Promise<boolean>;
  /** From then on there is none; what was in it is deleted, now or by the purge. False when there was none. */
  remove(ref: AgentRef, now: number): Promise<boolean>;
}
