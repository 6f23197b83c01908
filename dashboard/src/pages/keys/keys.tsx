import { ActionIcon, Anchor, Button, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, useEffect } from 'react';
import { Link } from 'wouter';
import { isPlaygroundKey, type KeyRecord } from '../../api/keys.ts';
import { useKeys, useMe } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { Icon } from '../../components/icon.tsx';
import { LateMenu } from '../../components/menus.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { useQuery, useQueryChoice } from '../../lib/hooks.ts';
import { lateDialog, orReload } from '../../lib/load.ts';
import type { KeyPopupProps } from './key-popup.tsx';
import { KeyTable } from './key-table.tsx';

const NewKeyDialog = lateDialog(async () => (await import('./key-dialogs.tsx')).NewKeyDialog);
const skeletons = ['a', 'b', 'c'];

export default function KeysPage() {
  const { data: keys, error, refetch } = useKeys();
  const { data: me } = useMe();
  const [query, change] = useQuery();
  const [isCreating, creation] = useDisclosure(false);
  const wantsNew = query.has('new');
  useEffect(() => {
    if (wantsNew) creation.open();
  }, [wantsNew, creation.open]);
  const [shown, setShown] = useQueryChoice('show', ['current', 'all']);
  const current = keys?.filter((key) => !isPlaygroundKey(key) && (shown === 'all' || !isEnded(key.status)));
  const newKey = (
    <Button leftSection={<Icon name="plus" />} onClick={creation.open}>
      Create API key
    </Button>
  );

  function close(): void {
    creation.close();
    change({ new: undefined });
  }

  return (
    <Page
      title="API keys"
      lead="Use API keys to call the API from your programs. Create one key per program, keep keys out of code, and rotate them."
      actions={newKey}
    >
      <Stack gap="lg">
        {me?.isConfirmed === false && <Unconfirmed email={me.email} />}
        <Panel
          title="Your keys"
          aside={
            <Switch
              label="Show revoked and expired"
              size="sm"
              checked={shown === 'all'}
              onChange={(event) => setShown(event.currentTarget.checked ? 'all' : null)}
            />
          }
        >
          {error && !keys && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          {!keys && !error && skeletons.map((id) => <Skeleton key={id} height={44} my="xs" />)}
          {current?.length === 0 && (
            <Empty icon="keys" title="No API keys yet" action={newKey}>
              Create a key and call the API with it. The API reference has examples to copy.
            </Empty>
          )}
          {current && current.length > 0 && (
            <KeyTable keys={current} actions={(key) => <KeyMenu apiKey={key} />} current={query.get('key')} />
          )}
        </Panel>
        <Text size="sm" c="dimmed">
          Revoked and suspended keys are rejected immediately. See the credits spent by each key under{' '}
          <Anchor component={Link} href="/usage" inherit underline="always">
            Usage
          </Anchor>
          .
        </Text>
      </Stack>
      <NewKeyDialog isOpen={isCreating} onClose={close} />
    </Page>
  );
}

const load = orReload(() => import('./key-popup.tsx'));
const KeyPopup = lazy(load);

function KeyMenu({ apiKey }: { apiKey: KeyRecord }) {
  if (isEnded(apiKey.status)) return null;
  const button: KeyPopupProps['button'] = (props) => (
    <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label={`Actions for ${apiKey.name}`}>
      <Icon name="more" />
    </ActionIcon>
  );
  return (
    <LateMenu load={load} button={button} menu={(props) => <KeyPopup apiKey={apiKey} button={button} {...props} />} />
  );
}

const isEnded = (status: string): boolean => status === 'revoked' || status === 'expired';
