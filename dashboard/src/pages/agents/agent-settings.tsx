import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
    <Page title={t`New agent`} lead={t`Only a name is required. You can change everything later.`}>
      <Stack gap="lg">
        <Panel title={t`Settings`}>
          <AgentForm form={form} action={t`Create agent`} />
        </Panel>
        <Anchor component={Link} href="/agents" size="sm">
          <Trans>All agents</Trans>
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
      const { version: saved } = changed;
      notify({
        message:
          saved > version + 1
            ? t`Saved as version ${{ version: saved }}. The agent had also been changed elsewhere.`
            : t`Saved as version ${{ version: saved }}.`,
      });
      rescueFocus();
    },
  });
  return (
    <Panel title={t`Settings, version ${version}`}>
      <AgentForm
        form={form}
        action={t`Save`}
        isDisabled={!form.isChanged}
        hint={t`Each saved change creates a new version. Replies show the version they came from.`}
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
    labels: agentLabels(),
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
              <Trans>Discard changes</Trans>
            </Button>
          )}
          <Text size="sm" c="dimmed" role="status">
            {isChanged ? t`Unsaved changes are kept in this tab.` : hint}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** Maximum tokens of a reply if the agent sets none (docs/guides/chat.md#parameters). */
const defaultMaxTokens = 1024;

const truncationTexts: Readonly<
  Record<AgentValues['truncation'], { readonly label: MessageDescriptor; readonly description: MessageDescriptor }>
> = {
  drop: { label: msg`Truncate`, description: msg`The oldest messages are omitted.` },
  summarize: { label: msg`Summarize`, description: msg`A summary replaces the oldest messages, at no charge.` },
  error: { label: msg`Return an error`, description: msg`The message is rejected. You are not charged.` },
};

function AgentFields({ form }: { form: Form<AgentValues> }) {
  const { values, errors, setFieldValue } = form;
  const { instructions, functions, temperature, maxTokens, truncation, retentionDays } = values;
  return (
    <div className={css.fields}>
      <div className={css.column}>
        <TextInput label={t`Name`} description={t`Shown to users`} {...form.getInputProps('name')} />
        <div>
          <Textarea
            label={t`Instructions`}
            description={t`The system message for every turn`}
            placeholder={t`You help guests of our hotel. Reply briefly.`}
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
          label={t`Model`}
          data={modelChoices('chat')}
          value={values.model}
          error={errors['model']}
          data-path="model"
          onChange={({ currentTarget: { value } }) => v.is(modelId, value) && setFieldValue('model', value)}
        />
        <SliderField
          label={t`Temperature`}
          defaultValue={samplingDefaults.temperature}
          min={0}
          max={2}
          value={temperature}
          onChange={(value) => setFieldValue('temperature', value)}
        />
        <WholeNumberField
          label={t`Maximum tokens`}
          placeholder={t`Default: ${{ tokens: formatWhole(defaultMaxTokens) }}`}
          value={maxTokens}
          error={errors['maxTokens']}
          data-path="maxTokens"
          onChange={(value) => setFieldValue('maxTokens', value)}
        />
        <Radio.Group
          label={t`When the context is full`}
          value={truncation}
          error={errors['truncation']}
          onChange={(chosen) => {
            const value = truncations.find((one) => one === chosen);
            if (value) setFieldValue('truncation', value);
          }}
        >
          <Stack gap="xs" mt={6}>
            {truncations.map((one) => (
              <Radio
                key={one}
                value={one}
                label={i18n._(truncationTexts[one].label)}
                description={i18n._(truncationTexts[one].description)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <WholeNumberField
          label={t`Retention in days`}
          description={t`Days until messages, and conversations without new messages, are deleted`}
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
      <Trans>
        {{ used: formatWhole(length) }} of {{ limit: formatWhole(max) }} characters
      </Trans>
    </Text>
  );
}
