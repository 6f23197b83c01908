import { Group, Anchor, Button, NativeSelect, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useMemo } from 'react';
import * as v from 'valibot';
import { Link, useLocation } from 'wouter';
import { truncations } from '#contract/agents/agents.ts';
import { samplingDefaults } from '#contract/inference/inference-fields.ts';
import { agentRoutes } from '#contract/routes/agents.ts';
import { limits } from '#contract/shared/limits.ts';
import { call } from '../../api/call.ts';
import { type Form, useApiForm } from '../../api/form.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { rescueFocus } from '../../lib/focus.ts';
import { formatWhole } from '../../lib/format.ts';
import { FunctionsField, modelChoices, parseFunctions, SliderField } from '../playground/tab/parameters.tsx';
import { modelId } from '../playground/tab/sampling.ts';
import { draftOf, keepDraft, newAgent } from './agent-draft.ts';
import {
  agentBody,
  agentFormSchema,
  agentLabels,
  agentPath,
  agentReads,
  type AgentRecord,
  type AgentValues,
  changesOf,
  newAgentValues,
  valuesOf,
} from './agent.ts';
import css from './agents.module.css';

export default function NewAgentPage() {
  const [, go] = useLocation();
  const form = useAgentForm({
    name: newAgent,
    saved: newAgentValues,
    act: (values) => call(agentRoutes.createAgent, { body: agentBody(values) }),
    onDone: ({ id }) => go(agentPath(id)),
  });
  return (
    <Page title="New agent" lead="Only a name is required. You can change everything later.">
      <Stack gap="lg">
        <Panel title="Settings">
          <AgentForm form={form} action="Create agent" />
        </Panel>
        <Anchor component={Link} href="/agents" size="sm">
          All agents
        </Anchor>
      </Stack>
    </Page>
  );
}

/** Remounts for each version; unsaved changes come from the draft. */
export const SettingsTab = ({ agent }: { agent: AgentRecord }) => <Settings key={agent.version} agent={agent} />;

function Settings({ agent }: { agent: AgentRecord }) {
  const { id, version } = agent;
  const saved = useMemo(() => valuesOf(agent), [agent]);
  const form = useAgentForm({
    name: id,
    saved,
    act: (values) => {
      const names = new Set(Object.keys(changesOf(values, saved)));
      const body = Object.fromEntries(Object.entries(agentBody(values)).filter(([name]) => names.has(name)));
      return call(agentRoutes.changeAgent, { path: { id }, body });
    },
    onDone: (changed) => {
      const isOthers = changed.version > version + 1;
      notify({
        message: `Saved as version ${changed.version}.${isOthers ? ' The agent had also been changed elsewhere.' : ''}`,
      });
      rescueFocus();
    },
  });
  return (
    <Panel title={`Settings, version ${version}`}>
      <AgentForm
        form={form}
        action="Save"
        isDisabled={!form.isChanged}
        hint="Each saved change creates a new version. Replies show the version they came from."
      />
    </Panel>
  );
}

interface AgentFormOptions {
  /** Name of the draft. */
  readonly name: string;
  readonly saved: AgentValues;
  readonly act: (values: AgentValues) => Promise<AgentRecord>;
  readonly onDone: (agent: AgentRecord) => void;
}

/** Form state of an agent. Unsaved changes survive navigation and reload. */
function useAgentForm({ name, saved, act, onDone }: AgentFormOptions) {
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

interface AgentFormProps {
  readonly form: ReturnType<typeof useAgentForm>;
  readonly action: string;
  /** Shown while nothing is changed. */
  readonly hint?: ReactNode;
  readonly isDisabled?: boolean;
}

function AgentForm({ form: { form, submit, isRunning, error, isChanged, discard }, ...props }: AgentFormProps) {
  const { action, hint, isDisabled = false } = props;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <AgentFields form={form} />
        {error && <ErrorNotice error={error} />}
        <Group gap="0.5rem 0.75rem">
          <Button type="submit" loading={isRunning} disabled={isDisabled}>
            {action}
          </Button>
          {isChanged && !isRunning && (
            <Button
              variant="default"
              onClick={() => {
                discard();
                rescueFocus();
              }}
            >
              Discard changes
            </Button>
          )}
          <Text size="sm" c="dimmed" role="status">
            {isChanged ? 'Unsaved changes are kept in this tab.' : hint}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** Maximum tokens of a reply if the agent sets none (docs/guides/chat.md#parameters). */
const defaultMaxTokens = 1024;

const truncationTexts: Readonly<
  Record<AgentValues['truncation'], { readonly label: string; readonly description: string }>
> = {
  drop: { label: 'Truncate', description: 'The oldest messages are omitted.' },
  summarize: { label: 'Summarize', description: 'A summary replaces the oldest messages, at no charge.' },
  error: { label: 'Return an error', description: 'The message is rejected. You are not charged.' },
};

function AgentFields({ form }: { form: Form<AgentValues> }) {
  const { values, errors, setFieldValue } = form;
  const { instructions, functions, temperature, maxTokens, truncation, retentionDays } = values;
  return (
    <div className={css.fields}>
      <div className={css.column}>
        <TextInput label="Name" description="Shown to users" {...form.getInputProps('name')} />
        <div>
          <Textarea
            label="Instructions"
            description="The system message for every turn"
            placeholder="You help guests of our hotel. Reply briefly."
            autosize
            minRows={6}
            maxRows={18}
            {...form.getInputProps('instructions')}
          />
          <Characters text={instructions} max={limits.agentInstructions} />
        </div>
        <FunctionsField
          value={functions}
          error={parseFunctions(functions).error ?? errors['functions']}
          onChange={(text) => setFieldValue('functions', text)}
          data-path="functions"
        />
      </div>
      <div className={css.column}>
        <NativeSelect
          label="Model"
          data={modelChoices('chat')}
          value={values.model}
          error={errors['model']}
          data-path="model"
          onChange={({ currentTarget: { value } }) => v.is(modelId, value) && setFieldValue('model', value)}
        />
        <SliderField
          label="Temperature"
          defaultValue={samplingDefaults.temperature}
          min={0}
          max={2}
          value={temperature}
          onChange={(value) => setFieldValue('temperature', value)}
        />
        <WholeNumberField
          label="Maximum tokens"
          placeholder={`Default: ${formatWhole(defaultMaxTokens)}`}
          value={maxTokens}
          error={errors['maxTokens']}
          data-path="maxTokens"
          onChange={(value) => setFieldValue('maxTokens', value)}
        />
        <Radio.Group
          label="When the context is full"
          value={truncation}
          error={errors['truncation']}
          onChange={(chosen) => {
            const value = truncations.find((one) => one === chosen);
            if (value) setFieldValue('truncation', value);
          }}
        >
          <Stack gap="xs" mt={6}>
            {truncations.map((one) => (
              <Radio key={one} value={one} {...truncationTexts[one]} />
            ))}
          </Stack>
        </Radio.Group>
        <WholeNumberField
          label="Retention in days"
          description="Days until messages, and conversations without new messages, are deleted"
          value={retentionDays}
          error={errors['retentionDays']}
          data-path="retentionDays"
          onChange={(value) => setFieldValue('retentionDays', value)}
        />
      </div>
    </div>
  );
}

/** Counts code points, like the API. */
function Characters({ text, max }: { text: string; max: number }) {
  const length = Array.from(text).length;
  return (
    <Text size="xs" c={length > max ? 'var(--mantine-color-error)' : 'dimmed'} mt={4} className="number">
      {formatWhole(length)} of {formatWhole(max)} characters
    </Text>
  );
}
