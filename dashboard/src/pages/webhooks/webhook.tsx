import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { allEvents, type Webhook } from '#contract/webhooks/webhooks.ts';

export type WebhookRecord = InferOutput<typeof Webhook>;

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
