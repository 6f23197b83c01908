import { Anchor, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Operation } from '../operation.ts';
import type { TrialCredential } from './trial.ts';

export type CredentialChoice = TrialCredential['kind'];

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

/** What an operation can be tried with here; none of them where it takes a session, and there is none. */
export function choicesOf({ credentials }: Operation, isMember: boolean): CredentialChoice[] {
  return credentials.flatMap((credential): CredentialChoice[] => {
    if (credential === 'key') return isMember ? ['key', 'temporary'] : ['key'];
    return credential === 'session' && !isMember ? [] : [credential];
  });
}

export function CredentialField({ choices, choice, onChoice, apiKey, onApiKey }: CredentialFieldProps) {
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
