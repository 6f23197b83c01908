import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import type { InferOutput } from 'valibot';
import { allEvents, type Webhook } from '#contract/webhooks/webhooks.ts';

export type WebhookRecord = InferOutput<typeof Webhook>;

export const titleOf = ({ description, url }: WebhookRecord): string => description ?? url;

export const eventsOf = ({ events }: WebhookRecord): string =>
  events.includes(allEvents) ? t`All events` : events.join(', ');

const reasons = {
  requested: msg({ message: 'Disabled', context: 'webhook' }),
  failing: msg`Disabled after 5 days of failures`,
  gone: msg`Disabled by your server (410)`,
} as const;

export function WebhookBadge({ webhook: { status, disabledReason, failingSince } }: { webhook: WebhookRecord }) {
  if (status === 'disabled') return <Badge color="gray">{i18n._(reasons[disabledReason ?? 'requested'])}</Badge>;
  return failingSince === null ? (
    <Badge color="pine">
      <Trans context="webhook">Active</Trans>
    </Badge>
  ) : (
    <Badge color="red">
      <Trans context="webhook">Failing</Trans>
    </Badge>
  );
}
