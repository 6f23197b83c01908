import type { AgentChange, NewAgent } from '#contract/agents/agents.ts';
import { limits } from '#contract/shared/limits.ts';
import { iso } from '#contract/shared/time.ts';
import { refuseRetired } from '../inference/model-catalog.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Page, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface AgentRef {
  readonly accountId: number;
  readonly id: string;
}

/** Times in epoch ms. */
export interface Agent extends AgentRef, NewAgent {
  /** Version for optimistic locking. Every change by the owner increments it. */
  readonly version: number;
  /** Total of its documents, including those being indexed. */
  readonly chunks: number;
  /** Changes whenever the set of searchable documents changes. */
  readonly index: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

function changedAgent(agent: Agent, change: AgentChange, now: number): Agent {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...agent, ...given, version: agent.version + 1, updatedAt: now };
}

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
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}

export interface AgentServiceParts {
  readonly agents: AgentStore;
  readonly enforceChangeLimit: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

const maxTries = 5;

export type AgentService = ReturnType<typeof agentService>;

export function agentService({ agents, enforceChangeLimit, clock, random }: AgentServiceParts) {
  async function create(accountId: number, given: NewAgent) {
    refuseRetired(given.model);
    await enforceChangeLimit(accountId);
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

  async function existing(accountId: number, id: string): Promise<Agent> {
    return (await agents.find({ accountId, id })) ?? throwNotFound('agent');
  }

  const get = async (accountId: number, id: string) => agentView(await existing(accountId, id));

  async function change(accountId: number, id: string, given: AgentChange) {
    let before = await existing(accountId, id);
    if (given.model !== undefined && given.model !== before.model) refuseRetired(given.model);
    await enforceChangeLimit(accountId);
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
    await enforceChangeLimit(accountId);
    if (!(await agents.remove({ accountId, id }, clock.now()))) throwNotFound('agent');
  }

  return { create, list, existing, get, change, remove };
}

export function throwNotFound(kind: 'agent' | 'document' | 'conversation'): never {
  throw new ServiceError('NOT_FOUND', `There is no such ${kind}.`);
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface AgentStore {
  find(ref: AgentRef): Promise<Agent | undefined>;
  page(accountId: number, request: PageRequest): Promise<Page<Agent>>;
  /** Returns false at the account's limit. */
  create(agent: Agent): Promise<boolean>;
  /** Requires `after.version` to be one above the stored one. Returns false if the agent has changed or was deleted. */
  change(after: Agent): Promise<boolean>;
  /** Deletes the agent immediately; the purge may delete its contents later. Returns false if it did not exist. */
  remove(ref: AgentRef, now: number): Promise<boolean>;
}
