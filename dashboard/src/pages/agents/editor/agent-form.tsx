import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { rescueFocus } from '../../../lib/rescue-focus.ts';
import { AgentFields } from './agent-fields.tsx';
import css from './editor.module.css';
import type { useAgentForm } from './use-agent-form.ts';

interface AgentFormProps {
  readonly form: ReturnType<typeof useAgentForm>;
  /** Label of the submit button. */
  readonly action: string;
  /** Beside the buttons, where nothing was changed. */
  readonly hint?: ReactNode;
  readonly isDisabled?: boolean;
}

/** The fields of an agent, and what can be done with them. */
export function AgentForm({ form: { form, submit, isRunning, error, isChanged, discard }, ...props }: AgentFormProps) {
  const { action, hint, isDisabled = false } = props;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <AgentFields form={form} />
        {error && <ErrorNotice error={error} />}
        <div className={css.foot}>
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
        </div>
      </Stack>
    </form>
  );
}
