import { useEffect } from 'react';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import { type AgentRecord, agentReads } from '../agent.ts';
import { draftOf, keepDraft } from './agent-draft.ts';
import { type AgentValues, agentFormSchema, agentLabels, changesOf } from './agent-values.ts';

interface AgentFormOptions {
  /** What its draft is kept under. */
  readonly name: string;
  readonly saved: AgentValues;
  readonly act: (values: AgentValues) => Promise<AgentRecord>;
  readonly onDone: (agent: AgentRecord) => void;
}

/** The fields of an agent. What is changed and not saved outlives navigation and reload. */
export function useAgentForm({ name, saved, act, onDone }: AgentFormOptions) {
  const { form, ...rest } = useApiForm({
    initial: { ...saved, ...draftOf(name) },
    schema: agentFormSchema,
    labels: agentLabels,
    act: async (values: AgentValues) => {
      const agent = await act(values);
      keepDraft(name, {});
      return agent;
    },
    onDone,
    invalidates: agentReads,
  });
  const { values } = form;
  useEffect(() => keepDraft(name, changesOf(values, saved)), [name, values, saved]);
  return {
    ...rest,
    form,
    isChanged: Object.keys(changesOf(values, saved)).length > 0,
    discard: () => form.setValues(saved),
  };
}
