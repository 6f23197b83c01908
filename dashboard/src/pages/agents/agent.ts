import * as v from 'valibot';
import type { Agent } from '#contract/agents/agents.ts';
import type { Conversation, KeptMessage } from '#contract/agents/conversations.ts';
import type { AgentDocument } from '#contract/agents/documents.ts';
import { guides } from '#contract/dashboard-config.ts';
import { agentRoutes } from '#contract/routes/agents/agents.ts';

export type AgentRecord = v.InferOutput<typeof Agent>;
export type DocumentRecord = v.InferOutput<typeof AgentDocument>;
export type MessageRecord = v.InferOutput<typeof KeptMessage>;
export type ConversationRecord = v.InferOutput<typeof Conversation>;

/** Where an agent's page is, a tab of it, or a conversation. */
export const agentPath = (agent: string, more: Readonly<Record<string, string>> = {}): string =>
  `/agents?${new URLSearchParams({ agent, ...more }).toString()}`;

/** What a change of an agent, or of its documents, changes. */
export const agentReads = [agentRoutes.listAgents, agentRoutes.getAgent] as const;

/** Whether a query reads an agent, or something of it. */
export const isAbout = ([, input]: readonly unknown[], agent: string): boolean =>
  input === agent || v.is(v.object({ path: v.object({ id: v.literal(agent) }) }), input);

/** The guide of agents; undefined where there is none. */
export const agentGuide = guides.find((slug: string) => slug === 'agents');
