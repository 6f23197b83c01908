import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { CurrentUser } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../api/actions.ts';
import { perform } from '../api/call.ts';
import { TermsInSentence } from './brand.tsx';
import { ErrorNotice } from './notice.tsx';
import { Page } from './page.tsx';
import { useSignOut } from './session.ts';

type Terms = NonNullable<InferOutput<typeof CurrentUser>['terms']>;

/** Replaces a page until the user accepts the current terms. */
export default function AcceptTerms({ terms }: { terms: Terms }) {
  const { run, isRunning, error } = useAction(
    () => perform(accountRoutes.acceptTerms, { body: { version: terms.version } }),
    [accountRoutes.me],
  );
  const leave = useSignOut();
  const isNew = terms.acceptedVersion === null;
  return (
    <Page
      title={isNew ? t`Accept the terms` : t`Our terms have changed`}
      lead={t`Accept them to continue. Your API keys work in the meantime.`}
    >
      <Stack align="flex-start" maw="40rem">
        <Text>
          <Trans>
            Please read the <TermsInSentence /> before you accept.
          </Trans>
        </Text>
        {error && <ErrorNotice error={error} />}
        <Group>
          <Button loading={isRunning} onClick={() => void run(undefined)}>
            <Trans>Accept and continue</Trans>
          </Button>
          <Button variant="default" onClick={leave}>
            <Trans>Sign out</Trans>
          </Button>
        </Group>
      </Stack>
    </Page>
  );
}
