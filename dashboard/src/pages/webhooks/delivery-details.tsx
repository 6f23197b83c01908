import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-data.ts';
import { CodeBlock } from '../../components/elements/code-block.tsx';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Detail, Details } from '../../components/elements/details.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { formatDuration, formatSecond } from '../../lib/format.ts';
import { DeliveryBadge, type DeliveryRecord, resultOf, type WebhookRecord } from './webhook.tsx';

interface DeliveryDetailsProps {
  readonly webhook: WebhookRecord;
  readonly delivery: DeliveryRecord;
}

/** A delivery with what was sent and what came back. */
export function DeliveryDetails({ webhook, delivery }: DeliveryDetailsProps) {
  const { id, eventId, type, status, attempts, durationMs, nextAttemptAt, createdAt, body, response } = delivery;
  const again = useAction(
    () => call(webhookRoutes.redeliver, { path: { id: webhook.id, deliveryId: id } }),
    [webhookRoutes.listDeliveries],
  );
  return (
    <Stack gap="md">
      <Details>
        <Detail title="Event">
          <span className="mono">{type}</span>
        </Detail>
        <Detail title="Event ID">
          <Group gap={4} wrap="nowrap">
            <span className="mono">{eventId}</span>
            <CopyButton value={eventId} what="event ID" />
          </Group>
        </Detail>
        <Detail title="Time">{formatSecond(createdAt)}</Detail>
        <Detail title="Status">
          <DeliveryBadge status={status} />
        </Detail>
        <Detail title="Attempts">{attempts}</Detail>
        <Detail title="Response">{resultOf(delivery)}</Detail>
        {durationMs !== null && <Detail title="Duration">{formatDuration(durationMs)}</Detail>}
        {nextAttemptAt !== null && <Detail title="Next attempt">{formatSecond(nextAttemptAt)}</Detail>}
      </Details>
      <Part title="Request body">
        <CodeBlock code={pretty(body)} what="Request body" maxHeight={20} />
      </Part>
      {response !== null && response !== '' && (
        <Part title="Response body">
          <CodeBlock code={response} what="Response body" maxHeight={20} />
        </Part>
      )}
      {again.error && <ErrorNotice error={again.error} />}
      <Group>
        <Button
          variant="default"
          loading={again.isRunning}
          disabled={webhook.status !== 'active'}
          onClick={() => void again.run(undefined)}
        >
          Redeliver
        </Button>
      </Group>
    </Stack>
  );
}

/** As it was sent, with line breaks. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={6}>
      <Text component="h3" fw={600} size="sm">
        {title}
      </Text>
      {children}
    </Stack>
  );
}
