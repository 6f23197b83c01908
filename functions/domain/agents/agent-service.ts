import type { AgentChange, NewAgent } from '#contract/agents/agents.ts';
import { limits } from '#contract/shared/limits.ts';
import { timedId } from '../shared/ids.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { AgentStore, PageRequest } from './agent-store.ts';
import { type Agent, agentView, changedAgent } from './agent.ts';

export interface AgentServiceParts {
  readonly agents: AgentStore;
  /** Refuses (429) an account that changes its agents too often. */
  readonly demandChange: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

const maxTries = 5;

export type AgentService = ReturnType<typeof agentService>;

/** The life of an account's agents (docs/agents.md). */
export function agentService({ agents, demandChange, clock, random }: AgentServiceParts) {
  async function create(accountId: number, given: NewAgent) {
    await demandChange(accountId);
    const now = clock.now();
    const agent: Agent = {
      accountId,
      id: timedId('agt', now, random),
      ...given,
      version: 1,
      chunks: 0,
      index: 0,
      createdAt: now,
      updatedAt: now,
    };
    if (await agents.create(agent)) return agentView(agent);
    throw new ServiceError('INVALID_STATE', `An account can have at most ${limits.agents} agents. Delete one first.`);
  }

  async function list(accountId: number, request: PageRequest) {
    const { items, next } = await agents.page(accountId, request);
    return { items: items.map(agentView), nextCursor: next };
  }

  /** Refuses (404) an agent that the account does not have. */
  async function existing(accountId: number, id: string): Promise<Agent> {
    return (await agents.find({ accountId, id })) ?? missing('agent');
  }

  const get = async (accountId: number, id: string) => agentView(await existing(accountId, id));

  async function change(accountId: number, id: string, given: AgentChange) {
    let before = await existing(accountId, id);
    await demandChange(accountId);
    for (let tries = 1; ; tries++) {
      const after = changedAgent(before, given, clock.now());
      if (await agents.change(after)) return agentView(after);
      if (tries === maxTries) break;
      before = await existing(accountId, id);
    }
    const detail = 'The agent is being changed by another request; try again.';
    throw new ServiceError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 });
  }

  async function remove(accountId: number, id: string): Promise<void> {
    await existing(accountId, id);
    await demandChange(accountId);
    if (!(await agents.remove({ accountId, id }, clock.now()))) missing('agent');
  }

  return { create, list, existing, get, change, remove };
}

/** Throws the refusal (404) of what is not there, or is another account's. */
export function missing(what: 'agent' | 'document' | 'conversation'): never {
  throw new ServiceError('NOT_FOUND', `There is no such ${what}.`);
}
