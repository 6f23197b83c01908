import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
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
import { formatDuration } from '../../lib/format.ts';
import { prettyJson } from '../playground/tab/text.tsx';
import type { Operation, Parameter } from './operation.ts';
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
    <Panel title={t`Try it`}>
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
            description={i18n._(places[place])}
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
              <Trans>Stop</Trans>
            </Button>
          ) : (
            <Button
              onClick={send}
              disabled={choice === undefined || missing !== undefined || (choice === 'key' && apiKey === '')}
            >
              <Trans>Send</Trans>
            </Button>
          )}
          {missing && (
            <Text size="sm" c="dimmed">
              <Trans>{{ name: missing.name }} is required.</Trans>
            </Text>
          )}
        </Group>
        {trial.failure !== undefined && <Notice tone="error">{trial.failure}</Notice>}
        {trial.response && <TrialResult response={trial.response} />}
      </Stack>
    </Panel>
  );
}

const places: Readonly<Record<Parameter['in'], MessageDescriptor>> = {
  path: msg`In the path`,
  query: msg`In the query`,
  header: msg`In the header`,
};

interface BodyFieldProps {
  readonly examples: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
  readonly onBody: (body: string) => void;
}

function BodyField({ examples, body, onBody }: BodyFieldProps) {
  const edited = t({ message: 'Edited', comment: 'Instead of the name of an example' });
  const chosen = examples.find(({ value }) => value === body);
  return (
    <>
      {examples.length > 1 && (
        <NativeSelect
          label={t`Example`}
          data={[...examples.map(({ name }) => name), ...(chosen === undefined ? [edited] : [])]}
          value={chosen?.name ?? edited}
          onChange={({ currentTarget: { value: name } }) =>
            onBody(examples.find((one) => one.name === name)?.value ?? body)
          }
        />
      )}
      <Textarea
        label={t`Body`}
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

const titles: Readonly<Record<CredentialChoice, MessageDescriptor>> = {
  key: msg`Key`,
  temporary: msg`Temporary key`,
  session: msg`Your session`,
  none: msg({ message: 'None', context: 'Credential' }),
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
        <Trans>
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
        </Trans>
      </Text>
    );
  return (
    <Stack gap="xs">
      {choices.length > 1 && (
        <SegmentedControl
          aria-label={t`Credential`}
          value={choice}
          onChange={(value) => onChoice(choices.find((one) => one === value) ?? 'none')}
          data={choices.map((value) => ({ value, label: i18n._(titles[value]) }))}
        />
      )}
      {choice === 'key' && (
        <PasswordInput
          label={t`API key`}
          description={t`Stored in this tab until you close it or sign out. Sent only to this API.`}
          placeholder="tai_your_api_key"
          autoComplete="off"
          maxLength={200}
          value={apiKey}
          onChange={(event) => onApiKey(event.currentTarget.value.trim())}
        />
      )}
      {choice === 'temporary' && (
        <Text size="sm" c="dimmed">
          <Trans>
            Sending creates a temporary key for your account. It works for 15 minutes, and calls spend your credits.
          </Trans>
        </Text>
      )}
      {choice === 'session' && (
        <Text size="sm" c="dimmed">
          <Trans>Requests use your session. Changes apply to your account.</Trans>
        </Text>
      )}
    </Stack>
  );
}

function TrialResult({ response: { status, headers, text, omitted, isComplete, ms } }: { response: TrialResponse }) {
  return (
    <section aria-label={t`Response`}>
      <Group gap="xs" mb="xs">
        <Badge color={status < 400 ? 'pine' : 'red'}>{status}</Badge>
        <Text size="sm" c="dimmed" role="status">
          {isComplete ? t`Complete in ${{ duration: formatDuration(ms) }}` : t`Receiving…`}
        </Text>
      </Group>
      <CodeBlock
        code={isComplete && omitted === 0 && isJson(headers) ? prettyJson(text) : text}
        what={t`response body`}
        maxHeight={24}
      />
      {omitted > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          <Plural value={omitted} one="# more character not shown." other="# more characters not shown." />
        </Text>
      )}
      <details className={css.headers}>
        <summary>
          <Trans>Headers</Trans>
        </summary>
        <CodeBlock code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} what={t`response headers`} />
      </details>
    </section>
  );
}

const isJson = (headers: TrialResponse['headers']): boolean =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'));
