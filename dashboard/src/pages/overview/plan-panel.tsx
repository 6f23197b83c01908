import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { Link } from 'wouter';
import { planListing } from '#contract/billing/plans.ts';
import { useSubscription } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { formatDay, formatPrice, formatWhole } from '../../lib/format.ts';
import { planNameOf, planTitle } from '../../lib/names.ts';
import css from './overview.module.css';

/** The plan, what it gives, and when it is billed next. */
export function PlanPanel() {
  const { data, error, refetch } = useSubscription();
  if (data === undefined)
    return (
      <Panel title="Plan">
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={190} radius="md" />}
      </Panel>
    );
  const plan = planListing.find(({ name }) => name === planNameOf(data?.planId ?? 'freemium'));
  return (
    <Panel
      title="Plan"
      aside={data && <Badge color={data.status === 'active' ? 'pine' : 'yellow.8'}>{data.status}</Badge>}
    >
      <div className={css.figure}>{data ? planTitle(data.planId) : planTitle('freemium')}</div>
      <Text size="sm" c="dimmed" mb="md">
        {data
          ? `${formatPrice(data.price)}${data.price > 0 ? ' a month' : ''}`
          : '100 credits a month, no subscription'}
      </Text>
      <dl className={css.facts}>
        <dt>Credits a month</dt>
        <dd>{formatWhole(data?.monthlyCredits ?? plan?.quota_limit ?? 0)}</dd>
        {data && (
          <>
            <dt>Used this period</dt>
            <dd>{formatWhole(data.creditsUsed)}</dd>
            <dt>{data.status === 'active' ? 'Next billing' : 'Paid until'}</dt>
            <dd>{formatDay(data.nextBillingDate)}</dd>
          </>
        )}
        <dt>Calls a minute</dt>
        <dd>{plan?.rate_limit === null ? 'Unlimited' : formatWhole(plan?.rate_limit ?? 0)}</dd>
      </dl>
      <Group mt="lg">
        <Button component={Link} href="/plans" variant={data ? 'default' : 'filled'}>
          {data ? 'Change plan' : 'Compare plans'}
        </Button>
      </Group>
    </Panel>
  );
}
