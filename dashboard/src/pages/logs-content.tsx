import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ContentBody } from '#contract/requests/stored-content.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { parseJson } from '#contract/shared/json.ts';
import { useAction } from '../api/actions.ts';
import { perform } from '../api/call.ts';
import { useData } from '../api/reads.ts';
import { toApiError } from '../api/response.ts';
import { CodeBlock } from '../components/copy.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { notify } from '../components/notifications.tsx';
import { confirm } from '../components/overlays.tsx';
import { Allowed, useRefusal } from '../components/roles.tsx';
import { formatSecond } from '../lib/format.ts';
import type { RequestEntry } from './logs.tsx';

interface StoredTextsProps {
  readonly request: RequestEntry;
  /** Whether the user has asked for the texts. */
  readonly isAsked: boolean;
}

/** Prompt and response of a request. Read on demand, because reading those of another member's key is audited. */
export function StoredTexts({ request: { keyId, requestId, contentExpiresAt }, isAsked }: StoredTextsProps) {
  const [isShown, setShown] = useState(isAsked);
  const refusal = useRefusal({
    access: 'develop',
    what: t({ message: 'read prompts and responses', comment: 'After “Only owners, admins and developers can”' }),
  });
  if (keyId === null || contentExpiresAt === null) return null;
  const until = formatSecond(contentExpiresAt);
  return (
    <Stack gap="xs">
      <Text component="h3" fw={600} size="sm">
        <Trans>Prompt and response</Trans>
      </Text>
      <Text size="sm" c="dimmed">
        <Trans>Stored until {until}.</Trans>
      </Text>
      {isShown && refusal === undefined ? (
        <Texts id={keyId} requestId={requestId} />
      ) : (
        <Button variant="default" onClick={() => setShown(true)} disabled={refusal !== undefined} title={refusal}>
          <Trans>Show</Trans>
        </Button>
      )}
    </Stack>
  );
}

function Texts(path: { readonly id: string; readonly requestId: string }) {
  const [isDeleted, setDeleted] = useState(false);
  const { data, error, refetch } = useData(keyRoutes.getRequestContent, { path }, { enabled: !isDeleted });
  const removal = useAction(() => perform(keyRoutes.deleteRequestContent, { path }).then(() => true));

  async function remove(): Promise<void> {
    if (!(await removal.run(undefined))) return;
    setDeleted(true);
    notify({ message: t`Prompt and response are deleted.` });
  }

  const ask = () =>
    confirm({
      title: t`Delete prompt and response?`,
      text: t`This cannot be undone. The request stays in the logs.`,
      action: t`Delete`,
      onConfirm: () => void remove(),
    });

  if (isDeleted || (error && toApiError(error).status === 404))
    return (
      <Notice tone="info">
        <Trans>No prompt and response are stored. They were deleted, have expired, or could not be stored.</Trans>
      </Notice>
    );
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Stack gap="sm">
      <Body title={t`Prompt`} what={t`prompt`} body={data.request} />
      <Body title={t`Response`} what={t`response`} body={data.response} />
      {data.isStream && (
        <Text size="sm" c="dimmed">
          <Trans>The response was streamed. Its parts are put together here.</Trans>
        </Text>
      )}
      {removal.error && <ErrorNotice error={removal.error} />}
      <Group>
        <Allowed
          access="manage"
          what={t({
            message: 'store and delete prompts and responses',
            comment: 'After “Only owners and admins can”',
          })}
        >
          <Button variant="default" loading={removal.isRunning} onClick={ask}>
            <Trans>Delete prompt and response</Trans>
          </Button>
        </Allowed>
      </Group>
    </Stack>
  );
}

interface BodyProps {
  readonly title: string;
  /** Names the text for the copy button. */
  readonly what: string;
  readonly body: ContentBody;
}

function Body({ title, what, body: { text, contentType, isTruncated } }: BodyProps) {
  return (
    <Stack gap={4}>
      <Text component="h4" fw={600} size="sm">
        {title}
      </Text>
      {text === null ? (
        <Text size="sm" c="dimmed">
          <Trans>
            Not stored as text: <span className="mono">{contentType}</span>
          </Trans>
        </Text>
      ) : (
        <CodeBlock code={isTruncated ? text : indented(text)} what={what} maxHeight={24} />
      )}
      {isTruncated && (
        <Text size="sm" c="dimmed">
          <Trans>Only the first 256 KB are stored.</Trans>
        </Text>
      )}
    </Stack>
  );
}

function indented(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
