import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InferOutput } from 'valibot';
import { webhookRoutes } from '#contract/routes/webhooks.ts';
import type { Delivery } from '#contract/webhooks/webhooks.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Copyable, Detail, Details, DetailsButton, DetailsDrawer, useOpened } from '../../components/details.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, RefreshButton, useRoutePages } from '../../components/tables.tsx';
import { formatDuration, formatSecond } from '../../lib/format.ts';
import { titleOf, type WebhookRecord } from './webhook.tsx';

type DeliveryRecord = InferOutput<typeof Delivery>;

/** Interval for reloading the list while a delivery is pending, in ms. */
const pendingPollMs = 3000;

export function DeliveriesPanel({ webhook }: { webhook: WebhookRecord }) {
  const path = { id: webhook.id };
  const pages = useRoutePages({
    route: webhookRoutes.listDeliveries,
    input: (query) => ({ path, query }),
    rowsOf: ({ items }) => items,
    pollMs: (first) => first?.items.some(({ status }) => status === 'pending') === true && pendingPollMs,
  });
  const { item: opened, isOpen, open, close } = useOpened<string>();
  return (
    <Panel title={t`Deliveries to ${{ webhook: titleOf(webhook) }}`} aside={<RefreshButton pages={pages} />}>
      <PagedList
        pages={pages}
        empty={
          <Empty icon="send" title={t`No deliveries yet`}>
            <Trans>Send a test from the webhook’s menu; events appear here for 30 days.</Trans>
          </Empty>
        }
      >
        {(deliveries) => <DeliveryTable deliveries={deliveries} onOpen={({ id }) => open(id)} />}
      </PagedList>
      <DetailsDrawer
        title={t`Delivery`}
        size={520}
        item={pages.data?.find(({ id }) => id === opened)}
        isOpen={isOpen}
        onClose={close}
      >
        {(delivery) => <DeliveryDetails webhook={webhook} delivery={delivery} />}
      </DetailsDrawer>
    </Panel>
  );
}

interface DeliveryTableProps {
  readonly deliveries: readonly DeliveryRecord[];
  readonly onOpen: (delivery: DeliveryRecord) => void;
}

function DeliveryTable({ deliveries, onOpen }: DeliveryTableProps) {
  const columns: Column<DeliveryRecord>[] = [
    {
      title: t`Time`,
      place: 'lead',
      cell: (delivery) => (
        <DetailsButton onClick={() => onOpen(delivery)}>{formatSecond(delivery.createdAt)}</DetailsButton>
      ),
    },
    { title: t`Event`, place: 'wide', cell: ({ type }) => <EventName type={type} /> },
    { title: t`Status`, cell: ({ status }) => <DeliveryBadge status={status} /> },
    { title: t`Response`, cell: resultOf },
    { title: t`Attempts`, place: 'end', cell: ({ attempts }) => attempts },
    {
      title: t`Duration`,
      place: 'end',
      cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
    },
  ];
  return <DataTable caption={t`Deliveries, newest first`} columns={columns} rows={deliveries} idOf={({ id }) => id} />;
}

interface DeliveryDetailsProps {
  readonly webhook: WebhookRecord;
  readonly delivery: DeliveryRecord;
}

function DeliveryDetails({ webhook, delivery }: DeliveryDetailsProps) {
  const { id, eventId, type, status, attempts, durationMs, nextAttemptAt, createdAt, body, response } = delivery;
  const again = useAction(
    () => call(webhookRoutes.redeliver, { path: { id: webhook.id, deliveryId: id } }),
    [webhookRoutes.listDeliveries],
  );
  return (
    <Stack gap="md">
      <Details>
        <Detail title={t`Event`}>
          <span className="mono">{type}</span>
        </Detail>
        <Detail title={t`Event ID`}>
          <Copyable value={eventId} what={t`event ID`} />
        </Detail>
        <Detail title={t`Time`}>{formatSecond(createdAt)}</Detail>
        <Detail title={t`Status`}>
          <DeliveryBadge status={status} />
        </Detail>
        <Detail title={t`Attempts`}>{attempts}</Detail>
        <Detail title={t`Response`}>{resultOf(delivery)}</Detail>
        {durationMs !== null && <Detail title={t`Duration`}>{formatDuration(durationMs)}</Detail>}
        {nextAttemptAt !== null && <Detail title={t`Next attempt`}>{formatSecond(nextAttemptAt)}</Detail>}
      </Details>
      <Part title={t`Request body`}>
        <CodeBlock code={pretty(body)} what={t`Request body`} maxHeight={20} />
      </Part>
      {response !== null && response !== '' && (
        <Part title={t`Response body`}>
          <CodeBlock code={response} what={t`Response body`} maxHeight={20} />
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
          <Trans>Redeliver</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

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

const colors = { pending: 'yellow.8', delivered: 'pine', exhausted: 'red' } as const;
const labels = {
  pending: msg({ message: 'Pending', context: 'delivery' }),
  delivered: msg({ message: 'Delivered', context: 'delivery' }),
  exhausted: msg({ message: 'Failed', context: 'delivery' }),
} as const;

function DeliveryBadge({ status }: Pick<DeliveryRecord, 'status'>) {
  return <Badge color={colors[status]}>{i18n._(labels[status])}</Badge>;
}

/** Result of the latest attempt. */
function resultOf({ attempts, responseStatus, error }: DeliveryRecord): string {
  if (attempts === 0) return '–';
  return responseStatus === null ? (error ?? t`No response`) : String(responseStatus);
}

/** Allows a line break before the dot. */
function EventName({ type }: Pick<DeliveryRecord, 'type'>) {
  const [subject, ...rest] = type.split('.');
  return (
    <span className="mono">
      {subject}
      <wbr />.{rest.join('.')}
    </span>
  );
}
