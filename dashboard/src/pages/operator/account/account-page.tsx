import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { useData } from '../../../api/use-data.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { ActionButtons } from '../actions/action-buttons.tsx';
import { AccountLead } from './account-lead.tsx';
import { AccountTabs } from './account-tabs.tsx';

/** One account: what it is, and what can be done to it. */
export function AccountPage({ id }: { id: string }) {
  const { data: account, error, refetch } = useData(operatorRoutes.getAccount, { path: { id } });
  return (
    <Page
      title={account?.email ?? `Account ${id}`}
      lead={account && <AccountLead account={account} />}
      actions={account && <ActionButtons account={account} />}
    >
      <Stack gap="lg">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!account && !error && <Skeleton height={320} radius="lg" />}
        {account && <AccountTabs account={account} />}
        <Anchor component={Link} href="/operator" size="sm">
          All accounts and actions
        </Anchor>
      </Stack>
    </Page>
  );
}
