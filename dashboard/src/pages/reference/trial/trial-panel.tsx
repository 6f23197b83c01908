import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTabKey } from '../../../api/account/use-tab-key.ts';
import { useMember } from '../../../api/reads.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import type { Operation } from '../operation.ts';
import type { SampleRequest } from '../samples.ts';
import { type CredentialChoice, CredentialField, choicesOf } from './credential-field.tsx';
import { TrialResult } from './trial-result.tsx';
import { useTrial } from './use-trial.ts';

interface TrialPanelProps {
  readonly operation: Operation;
  readonly values: SampleRequest['values'];
  readonly onValues: (values: SampleRequest['values']) => void;
  readonly body: string;
  readonly onBody: (body: string) => void;
}

/** Sends the operation to this service as the page has it, and shows what comes back. */
export function TrialPanel({ operation, values, onValues, body, onBody }: TrialPanelProps) {
  const { data: member } = useMember();
  const [apiKey, setApiKey] = useTabKey(member === undefined ? undefined : (member?.id ?? 0), 'entered');
  const [wanted, setWanted] = useState<CredentialChoice>(operation.credentials[0] ?? 'none');
  const trial = useTrial();
  const choices = choicesOf(operation, Boolean(member));
  const choice = choices.find((one) => one === wanted) ?? choices[0];
  const missing = operation.parameters.find(({ name, isRequired }) => isRequired && !values[name]);

  function send(): void {
    if (choice === undefined) return;
    void trial.send({ operation, values, body }, choice === 'key' ? { kind: 'key', key: apiKey } : { kind: choice });
  }

  return (
    <Panel title="Try it">
      <Stack gap="sm">
        <CredentialField
          choices={choices}
          choice={choice ?? 'none'}
          onChoice={setWanted}
          apiKey={apiKey}
          onApiKey={setApiKey}
        />
        {operation.parameters.map(({ name, in: place, isRequired, example }) => (
          <TextInput
            key={name}
            label={name}
            description={`In the ${place}`}
            required={isRequired}
            placeholder={example}
            value={values[name] ?? ''}
            onChange={(event) => onValues({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
        {operation.body && <BodyField examples={operation.body.examples} body={body} onBody={onBody} />}
        <Group>
          {trial.isRunning ? (
            <Button variant="default" onClick={trial.stop}>
              Stop
            </Button>
          ) : (
            <Button
              onClick={send}
              disabled={choice === undefined || missing !== undefined || (choice === 'key' && apiKey === '')}
            >
              Send
            </Button>
          )}
          {missing && (
            <Text size="sm" c="dimmed">
              {missing.name} is required.
            </Text>
          )}
        </Group>
        {trial.failure !== undefined && <Notice tone="error">{trial.failure}</Notice>}
        {trial.response && <TrialResult response={trial.response} />}
      </Stack>
    </Panel>
  );
}

interface BodyFieldProps {
  readonly examples: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
  readonly onBody: (body: string) => void;
}

function BodyField({ examples, body, onBody }: BodyFieldProps) {
  const chosen = examples.find(({ value }) => value === body);
  return (
    <>
      {examples.length > 1 && (
        <NativeSelect
          label="Example"
          data={[...examples.map(({ name }) => name), ...(chosen === undefined ? ['Edited'] : [])]}
          value={chosen?.name ?? 'Edited'}
          onChange={({ currentTarget: { value: name } }) =>
            onBody(examples.find((one) => one.name === name)?.value ?? body)
          }
        />
      )}
      <Textarea
        label="Body"
        autosize
        minRows={3}
        maxRows={18}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={body}
        onChange={(event) => onBody(event.currentTarget.value)}
      />
    </>
  );
}
