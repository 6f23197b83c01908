import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import { type Agent, NewAgent, truncations } from '#contract/agents/agents.ts';
import {
  type Conversation,
  type KeptMessage,
  type NewMessage,
  type Turn,
  TurnChunk,
} from '#contract/agents/conversations.ts';
import type { AgentDocument } from '#contract/agents/documents.ts';
import { guides } from '#contract/dashboard-config.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import { agentRoutes } from '#contract/routes/agents.ts';
import type { Labels } from '../../api/form-errors.ts';
import type { ApiError } from '../../api/response.ts';
import type { Piece } from '../playground/exchange/pieces.ts';
import { modelId } from '../playground/tab/sampling.ts';

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

const typedNumber = v.union([v.number(), v.string()]);

/** Form values: functions as JSON text, numbers as typed. */
export type AgentValues = {
  name: string;
  model: v.InferOutput<typeof modelId>;
  instructions: string;
  functions: string;
  temperature: number;
  maxTokens: number | string;
  truncation: (typeof truncations)[number];
  retentionDays: number | string;
};

export const AgentDraft = v.object({
  name: v.exactOptional(v.string()),
  model: v.exactOptional(modelId),
  instructions: v.exactOptional(v.string()),
  functions: v.exactOptional(v.string()),
  temperature: v.exactOptional(v.number()),
  maxTokens: v.exactOptional(typedNumber),
  truncation: v.exactOptional(v.picklist(truncations)),
  retentionDays: v.exactOptional(typedNumber),
});
export type AgentDraft = v.InferOutput<typeof AgentDraft>;

export const agentLabels = (): Labels => ({
  name: t`Name`,
  model: t`Model`,
  instructions: t`Instructions`,
  functions: t`Functions`,
  temperature: t`Temperature`,
  maxTokens: t`Maximum tokens`,
  truncation: t`When the context is full`,
  retentionDays: t`Retention`,
});

const FunctionsText = v.pipe(
  v.string(),
  v.transform((text) => (text.trim() === '' ? '[]' : text)),
  v.parseJson(undefined, () => t({ message: 'must be JSON', comment: 'After the name of a field' })),
  NewAgent.entries.functions,
);

const AgentBody = v.object({ ...NewAgent.entries, functions: FunctionsText });

const toBody = ({ maxTokens, ...values }: AgentValues) => ({
  ...values,
  maxTokens: maxTokens === '' ? null : maxTokens,
});

export const agentFormSchema = v.pipe(
  v.custom<AgentValues>(() => true),
  v.transform((values): unknown => toBody(values)),
  AgentBody,
);

/** Converts valid form values to the request body. */
export const agentBody = (values: AgentValues) => v.parse(agentFormSchema, values);

export const newAgentValues: AgentValues = valuesOf({
  ...v.parse(NewAgent, { name: '-', model: firstModelFor('chat') }),
  name: '',
});

export function valuesOf(
  agent: Omit<AgentRecord, 'id' | 'version' | 'chunks' | 'createdAt' | 'updatedAt'>,
): AgentValues {
  const { name, model, instructions, functions, temperature, maxTokens, truncation, retentionDays } = agent;
  return {
    name,
    // An unknown model must be chosen again.
    model: v.is(modelId, model) ? model : firstModelFor('chat'),
    instructions,
    functions: functions.length === 0 ? '' : JSON.stringify(functions, undefined, 2),
    temperature,
    maxTokens: maxTokens ?? '',
    truncation,
    retentionDays,
  };
}

/** Returns the values that differ from `before`. */
export function changesOf(values: AgentValues, before: AgentValues): AgentDraft {
  const known = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(values).filter(([name, value]) => known.get(name) !== value);
  return v.parse(AgentDraft, Object.fromEntries(changed));
}

export type TurnMessage = Pick<NewMessage, 'content' | 'functionResults'>;

/** A turn in progress, not yet part of the stored conversation. */
export interface PendingTurn {
  readonly sent: TurnMessage;
  /** Message count at the time of sending. The turn is stored once the conversation has more. */
  readonly before: number;
  readonly text: string;
  readonly call: { readonly name: string; readonly arguments: string } | undefined;
  /** Set if the turn ended without a reply. */
  readonly end?: { readonly kind: 'stopped' } | { readonly kind: 'failed'; readonly error: ApiError };
}

export const pendingTurn = (sent: TurnMessage, before: number): PendingTurn => ({
  sent,
  before,
  text: '',
  call: undefined,
});

/** Parses a chunk: a piece of the reply, or the turn without its message. */
export function readChunk(data: unknown): { readonly piece: Piece } | { readonly turn: Omit<Turn, 'message'> } {
  const chunk = v.parse(TurnChunk, data);
  return 'delta' in chunk
    ? { piece: { text: chunk.delta.content ?? '', call: chunk.delta.function_call } }
    : { turn: chunk };
}

export function extendTurn(turn: PendingTurn, { text, call }: Piece): PendingTurn {
  const called = (turn.call ?? call) && {
    name: (turn.call?.name ?? '') + (call?.name ?? ''),
    arguments: (turn.call?.arguments ?? '') + (call?.arguments ?? ''),
  };
  return { ...turn, text: turn.text + text, call: called };
}
