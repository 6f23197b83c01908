import { Stack } from '@mantine/core';
import { Page } from '../../components/layout/page.tsx';
import { useQuery } from '../../lib/hooks/use-query.ts';
import { AccountPage } from './account/account-page.tsx';
import { AuditPanel } from './audit/audit-panel.tsx';
import { SearchPanel } from './home/search-panel.tsx';

/** Finds accounts and shows what operators did; of one account where the URL names it. */
export default function OperatorPage() {
  const [query] = useQuery();
  const account = query.get('account') ?? '';
  if (/^[1-9]\d{0,15}$/.test(account)) return <AccountPage key={account} id={account} />;
  return (
    <Page title="Operator" lead="Find an account to manage it. Every action is recorded with its reason.">
      <Stack gap="lg">
        <SearchPanel />
        <AuditPanel />
      </Stack>
    </Page>
  );
}
