import type { AgentChange, NewAgent } from '#contract/agents/agents.ts';

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
export function changedAgent(agent: Agent, change: AgentChange, now: number): Agent {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...agent, ...given, version: agent.version + 1, updatedAt: now };
}

/** An agent as its owner sees it. */
export function agentView({ createdAt, updatedAt, ...agent }: Agent) {
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

export type { Page } from '../shared/page.ts';
