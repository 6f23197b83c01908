import type { AgentChange, NewAgent } from '#contract/agents/agents.ts';
import { limits } from '#contract/shared/limits.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Page, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

/** Names an agent. */
export interface AgentRef {
  readonly accountId: number;
  readonly id: string;
}

/** An agent of an account. Moments in epoch ms. */
export interface Agent extends AgentRef, NewAgent {
  /** Raised by every change of its owner's, which is conditional on it. */
  readonly version: number;
  /** Of its documents together, also of those that are being indexed. */
  readonly chunks: number;
  /** Changes whenever there are other documents to search. */
  readonly index: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What is given takes the place of what was; the version rises whatever it is. */
function changedAgent(agent: Agent, change: AgentChange, now: number): Agent {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...agent, ...given, version: agent.version + 1, updatedAt: now };
}

/** An agent as its owner sees it. */
function agentView({ createdAt, updatedAt, ...agent }: Agent) {
  const { id, name, model, instructions, functions, temperature, maxTokens, truncation, retentionDays } = agent;
  return {
    id,
    name,
    model,
    instructions,
    functions,
    temperature,
    maxTokens,
    truncation,
    retentionDays,
    version: agent.version,
    chunks: agent.chunks,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export type { Page } from '../shared/ports.ts';

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
