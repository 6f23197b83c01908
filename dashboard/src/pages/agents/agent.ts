import * as v from 'valibot';
import type { Agent } from '#contract/agents/agents.ts';
import type { Conversation, KeptMessage } from '#contract/agents/conversations.ts';
import type { AgentDocument } from '#contract/agents/documents.ts';
import { guides } from '#contract/dashboard-config.ts';
import { agentRoutes } from '#contract/routes/agents.ts';

export type AgentRecord = v.InferOutput<typeof Agent>;
export type DocumentRecord = v.InferOutput<typeof AgentDocument>;
export type MessageRecord = v.InferOutput<typeof KeptMessage>;
export type ConversationRecord = v.InferOutput<typeof Conversation>;

/** URL of an agent, or with `more` of its tab or conversation. */
export const agentPath = (agent: string, more: Readonly<Record<string, string>> = {}): string =>
  `/agents?${new URLSearchParams({ agent, ...more }).toString()}`;

/** Routes whose data changes with an agent or its documents. */
export const agentReads = [agentRoutes.listAgents, agentRoutes.getAgent] as const;

/** Whether a query key belongs to an agent, its documents or its conversations. */
export const isAbout = ([, input]: readonly unknown[], agent: string): boolean =>
  input === agent || v.is(v.object({ path: v.object({ id: v.literal(agent) }) }), input);

/** Slug of the guide, or undefined if the build has no such guide. */
export const agentGuide = guides.find((slug: string) => slug === 'agents');
