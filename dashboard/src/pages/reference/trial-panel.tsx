import {
  Anchor,
  Badge,
  Button,
  Group,
  NativeSelect,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../api/organizations.ts';
import { useMember } from '../../api/reads.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { useTabKey } from '../../components/docs.tsx';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { count, formatDuration } from '../../lib/format.ts';
import { prettyJson } from '../playground/tab/text.tsx';
import type { Operation } from './operation.ts';
import css from './reference.module.css';
import { type SampleRequest, type TrialCredential, type TrialResponse, useTrial } from './request.ts';

interface TrialPanelProps {
  readonly operation: Operation;
  readonly values: SampleRequest['values'];
  readonly onValues: (values: SampleRequest['values']) => void;
  readonly body: string;
  readonly onBody: (body: string) => void;
}

/** Sends the operation to this service and shows the response. */
export function TrialPanel({ operation, values, onValues, body, onBody }: TrialPanelProps) {
  const { data: member } = useMember();
  const [apiKey, setApiKey] = useTabKey(member === undefined ? undefined : (member?.id ?? 0), 'entered');
  const [wanted, setWanted] = useState<CredentialChoice>(operation.credentials[0] ?? 'none');
  const mayDevelop = useMay('develop');
  const trial = useTrial();
  const choices = choicesOf(operation, Boolean(member), mayDevelop);
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

type CredentialChoice = TrialCredential['kind'];

interface CredentialFieldProps {
  readonly choices: readonly CredentialChoice[];
  readonly choice: CredentialChoice;
  readonly onChoice: (choice: CredentialChoice) => void;
  readonly apiKey: string;
  readonly onApiKey: (key: string) => void;
}

const titles: Readonly<Record<CredentialChoice, string>> = {
  key: 'Key',
  temporary: 'Temporary key',
  session: 'Your session',
  none: 'None',
};

/** Credentials to try an operation with. Empty if it requires a session and the user is signed out. */
function choicesOf({ credentials }: Operation, isMember: boolean, mayDevelop: boolean): CredentialChoice[] {
  return credentials.flatMap((credential): CredentialChoice[] => {
    if (credential === 'key') return isMember && mayDevelop ? ['key', 'temporary'] : ['key'];
    return credential === 'session' && !isMember ? [] : [credential];
  });
}

function CredentialField({ choices, choice, onChoice, apiKey, onApiKey }: CredentialFieldProps) {
  if (choices.length === 0)
    return (
      <Text size="sm">
        This operation requires a signed-in session:{' '}
        <Anchor
          component={Link}
          href={`/login?return=${encodeURIComponent(`/docs${window.location.hash}`)}`}
          inherit
          underline="always"
        >
          sign in
        </Anchor>{' '}
        to try it.
      </Text>
    );
  return (
    <Stack gap="xs">
      {choices.length > 1 && (
        <SegmentedControl
          aria-label="Credential"
          value={choice}
          onChange={(value) => onChoice(choices.find((one) => one === value) ?? 'none')}
          data={choices.map((value) => ({ value, label: titles[value] }))}
        />
      )}
      {choice === 'key' && (
        <PasswordInput
          label="API key"
          description="Stored in this tab until you close it or sign out. Sent only to this API."
          placeholder="tai_your_api_key"
          autoComplete="off"
          maxLength={200}
          value={apiKey}
          onChange={(event) => onApiKey(event.currentTarget.value.trim())}
        />
      )}
      {choice === 'temporary' && (
        <Text size="sm" c="dimmed">
          Sending creates a temporary key for your account. It works for 15 minutes, and calls spend your credits.
        </Text>
      )}
      {choice === 'session' && (
        <Text size="sm" c="dimmed">
          Requests use your session. Changes apply to your account.
        </Text>
      )}
    </Stack>
  );
}

function TrialResult({ response: { status, headers, text, omitted, isComplete, ms } }: { response: TrialResponse }) {
  return (
    <section aria-label="Response">
      <Group gap="xs" mb="xs">
        <Badge color={status < 400 ? 'pine' : 'red'}>{status}</Badge>
        <Text size="sm" c="dimmed" role="status">
          {isComplete ? `Complete in ${formatDuration(ms)}` : 'Receiving…'}
        </Text>
      </Group>
      <CodeBlock
        code={isComplete && omitted === 0 && isJson(headers) ? prettyJson(text) : text}
        what="response body"
        maxHeight={24}
      />
      {omitted > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {count(omitted, 'more character')} not shown.
        </Text>
      )}
      <details className={css.headers}>
        <summary>Headers</summary>
        <CodeBlock code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} what="response headers" />
      </details>
    </section>
  );
}

const isJson = (headers: TrialResponse['headers']): boolean =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'));
