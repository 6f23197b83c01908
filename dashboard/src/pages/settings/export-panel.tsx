import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { saveFile } from '../../lib/downloads.ts';

/** Saves all pages in one file with an item per line. Each page becomes a blob, which the browser can move to disk. */
async function exportAccount(onProgress: (items: number) => void): Promise<number> {
  const parts: Blob[] = [];
  let count = 0;
  for (let cursor: string | undefined, isLast = false; !isLast;) {
    const { items, nextCursor } = await call(accountRoutes.exportAccount, { query: { cursor } });
    parts.push(new Blob(items.map((item) => `${JSON.stringify(item)}\n`)));
    count += items.length;
    onProgress(count);
    cursor = nextCursor ?? undefined;
    isLast = nextCursor === null;
  }
  saveFile(new Blob(parts, { type: 'application/jsonl' }), `account-${new Date().toISOString().slice(0, 10)}.jsonl`);
  return count;
}

export function ExportPanel() {
  const [read, setRead] = useState(0);
  const download = useAction(exportAccount);
  async function start(): Promise<void> {
    setRead(0);
    const count = await download.run(setRead);
    if (count === undefined) return;
    notify({ message: t`Your data was saved: ${plural(count, { one: '# item', other: '# items' })}.` });
  }
  return (
    <Panel title={t`Your data`}>
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed">
          <Trans>
            One file with everything that we store about you, without passwords and keys: profile, sessions, passkeys,
            organizations, keys, emails, payments, usage, requests, agents, conversations, messages and transcriptions.
            Each line is one item as JSON.
          </Trans>
        </Text>
        {download.error && <ErrorNotice error={download.error} onRetry={() => void start()} />}
        <Button variant="default" loading={download.isRunning} onClick={() => void start()}>
          <Trans>Download your data</Trans>
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {download.isRunning && plural({ count: read }, { one: '# item so far', other: '# items so far' })}
        </Text>
      </Stack>
    </Panel>
  );
}
