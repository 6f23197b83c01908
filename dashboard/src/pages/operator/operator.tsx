import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { InferInput } from 'valibot';
import { useLocation } from 'wouter';
import type { AccountQuery } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { useQuery } from '../../lib/hooks.ts';
import { accountPath } from './account-overview.tsx';
import { AccountPage } from './account-page.tsx';
import { AccountsPanel } from './accounts.tsx';
import { AuditPanel } from './audit.tsx';

export default function OperatorPage() {
  const [query] = useQuery();
  const account = query.get('account') ?? '';
  if (/^[1-9]\d{0,15}$/.test(account)) return <AccountPage key={account} id={account} />;
  return (
    <Page title={t`Operator`} lead={t`Find an account to manage it. Every action is recorded with its reason.`}>
      <Stack gap="lg">
        <SearchPanel />
        <AccountsPanel />
        <AuditPanel />
      </Stack>
    </Page>
  );
}

/** Level with the field, below its label and description. */
const submitTop = { base: 0, xs: '2.65rem' };

function SearchPanel() {
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const search = useAction((query: NonNullable<ReturnType<typeof accountQueryOf>>) =>
    call(operatorRoutes.findAccount, { query }),
  );
  const isUnknown = search.error?.code === 'NOT_FOUND';

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const query = accountQueryOf(typed);
    setProblem(query ? undefined : t`Enter an email, an account ID, or a key that begins with tai_`);
    if (!query) return search.reset();
    const found = await search.run(query);
    if (found) go(accountPath(found.id));
  }

  return (
    <Panel title={t`Find an account`}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Group align="flex-start" gap="sm">
          <TextInput
            flex="1 1 16rem"
            maw="32rem"
            label={t`Email, account ID or key`}
            description={t`Only the beginning of a key is sent.`}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={problem ?? (isUnknown && t`There is no such account.`)}
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
          />
          <Button type="submit" loading={search.isRunning} mt={submitTop}>
            <Trans>Find</Trans>
          </Button>
        </Group>
        {search.error && !isUnknown && <ErrorNotice error={search.error} />}
      </form>
    </Panel>
  );
}

/** Maximum characters of a key to send. The rest is the owner's secret. */
const shownCharacters = 17;

/** Detects an email address, an account id, or the beginning of a key. */
function accountQueryOf(typed: string): InferInput<typeof AccountQuery> | undefined {
  const text = typed.trim();
  if (/^tai_[0-9A-Za-z]{9,}…?/.test(text)) return { keyPrefix: text.slice(0, shownCharacters).replace(/….*$/, '') };
  if (/^[1-9]\d{0,15}$/.test(text)) return { id: text };
  return text.includes('@') ? { email: text } : undefined;
}
