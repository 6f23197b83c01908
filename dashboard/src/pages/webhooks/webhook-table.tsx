import { Anchor } from '@mantine/core';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { formatDay } from '../../lib/format.ts';
import { WebhookMenu } from './webhook-menu.tsx';
import { eventsOf, titleOf, WebhookBadge, type WebhookRecord } from './webhook.tsx';
import css from './webhooks.module.css';

/** One without a description is known by its URL, which is shown once. */
const isNamed = ({ description }: WebhookRecord): boolean => description !== null;

const urlColumn: Column<WebhookRecord> = {
  title: 'URL',
  place: 'wide',
  cell: (webhook) =>
    isNamed(webhook) ? (
      <span className={`mono ${css.cut}`} title={webhook.url}>
        {webhook.url}
      </span>
    ) : (
      '–'
    ),
};

interface WebhookTableProps {
  readonly webhooks: readonly WebhookRecord[];
  /** Whose deliveries are shown. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

export function WebhookTable({ webhooks, chosen, onChoose }: WebhookTableProps) {
  const columns: Column<WebhookRecord>[] = [
    {
      title: 'Webhook',
      place: 'lead',
      cell: (webhook) => (
        <Anchor
          component="button"
          type="button"
          inherit
          className={css.cut}
          title={titleOf(webhook)}
          aria-pressed={webhook.id === chosen}
          onClick={() => onChoose(webhook.id)}
        >
          <bdi>{titleOf(webhook)}</bdi>
        </Anchor>
      ),
    },
    { title: 'Status', cell: (webhook) => <WebhookBadge webhook={webhook} /> },
    ...(webhooks.some(isNamed) ? [urlColumn] : []),
    {
      title: 'Events',
      cell: (webhook) => (
        <span className={css.cut} title={eventsOf(webhook)}>
          {eventsOf(webhook)}
        </span>
      ),
    },
    { title: 'Created', cell: ({ createdAt }) => formatDay(createdAt) },
    { title: 'Actions', place: 'corner', cell: (webhook) => <WebhookMenu webhook={webhook} /> },
  ];
  return <DataTable caption="Webhooks" columns={columns} rows={webhooks} idOf={({ id }) => id} />;
}
