import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import type { Delivery, Webhook } from '#contract/webhooks/webhooks.ts';
import { allEvents } from '#contract/webhooks/webhooks.ts';

export type WebhookRecord = InferOutput<typeof Webhook>;
export type DeliveryRecord = InferOutput<typeof Delivery>;

/** What a person knows it by. */
export const titleOf = ({ description, url }: WebhookRecord): string => description ?? url;

export const eventsOf = ({ events }: WebhookRecord): string =>
  events.includes(allEvents) ? 'All events' : events.join(', ');

const reasons = {
  requested: 'Disabled',
  failing: 'Disabled after 5 days of failures',
  gone: 'Disabled by your server (410)',
} as const;

export function WebhookBadge({ webhook: { status, disabledReason, failingSince } }: { webhook: WebhookRecord }) {
  if (status === 'disabled') return <Badge color="gray">{reasons[disabledReason ?? 'requested']}</Badge>;
  return failingSince === null ? <Badge color="pine">Active</Badge> : <Badge color="red">Failing</Badge>;
}

const colors = { pending: 'yellow.8', delivered: 'pine', exhausted: 'red' } as const;
const labels = { pending: 'Pending', delivered: 'Delivered', exhausted: 'Failed' } as const;

export function DeliveryBadge({ status }: Pick<DeliveryRecord, 'status'>) {
  return <Badge color={colors[status]}>{labels[status]}</Badge>;
}

/** What the latest attempt came to. */
export function resultOf({ attempts, responseStatus, error }: DeliveryRecord): string {
  if (attempts === 0) return '–';
  return responseStatus === null ? (error ?? 'No response') : String(responseStatus);
}

/** The name of an event, which may break before its dot. */
export function EventName({ type }: Pick<DeliveryRecord, 'type'>) {
  const [subject, ...rest] = type.split('.');
  return (
    <span className="mono">
      {subject}
      <wbr />.{rest.join('.')}
    </span>
  );
}
