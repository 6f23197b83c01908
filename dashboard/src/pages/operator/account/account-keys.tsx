import { Skeleton } from '@mantine/core';
import { useData } from '../../../api/use-data.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { KeyTable } from '../../keys/key-table.tsx';
import { SuspendKeyButton } from '../actions/suspend-key.tsx';
import type { Account } from './account.ts';
import { listAccountKeys } from './list-keys.ts';

/** Keys as lists show them: the keys themselves are stored nowhere. */
export function AccountKeys({ account }: { account: Account }) {
  const { data: keys, error, refetch } = useData(listAccountKeys, { path: { id: String(account.id) } });
  return (
    <Panel title="API keys">
      {error && !keys && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!keys && !error && <Skeleton height={180} radius="md" />}
      {keys?.length === 0 && <Empty icon="keys" title="No API keys yet" />}
      {keys && keys.length > 0 && (
        <KeyTable keys={keys} actions={(key) => <SuspendKeyButton account={account} apiKey={key} />} />
      )}
    </Panel>
  );
}
