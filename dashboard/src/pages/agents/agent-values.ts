import * as v from 'valibot';
import { NewAgent, truncations } from '#contract/agents/agents.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import type { Labels } from '../../api/form-errors.ts';
import { modelId } from '../playground/tab/sampling.ts';
import type { AgentRecord } from './agent.ts';

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

export const agentLabels: Labels = {
  name: 'Name',
  model: 'Model',
  instructions: 'Instructions',
  functions: 'Functions',
  temperature: 'Temperature',
  maxTokens: 'Maximum tokens',
  truncation: 'When the context is full',
  retentionDays: 'Retention',
};

const FunctionsText = v.pipe(
  v.string(),
  v.transform((text) => (text.trim() === '' ? '[]' : text)),
  v.parseJson(undefined, 'must be JSON'),
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
