import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { Link } from 'wouter';
import { findPlan, freePlanRank } from '#contract/billing/plans.ts';
import { usePlanLimits } from '../../api/config.ts';
import { useSubscription } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { formatDay, formatPrice, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';
import css from './overview.module.css';

const statuses = {
  active: { title: 'Active', color: 'pine' },
  cancelled: { title: 'Cancelled', color: 'yellow.8' },
} as const;

/** The plan, what it gives, and when it is billed next. */
export function PlanPanel() {
  const { data, error, refetch } = useSubscription();
  const limitsOf = usePlanLimits();
  if (data === undefined)
    return (
      <Panel title="Plan">
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={190} radius="md" />}
      </Panel>
    );
  const { name, creditsPerMonth, callsPerMonth, callsPerMinute } = limitsOf(
    findPlan(data?.planId ?? '')?.rank ?? freePlanRank,
  );
  return (
    <Panel
      title="Plan"
      aside={data && <Badge color={statuses[data.status].color}>{statuses[data.status].title}</Badge>}
    >
      <div className={css.figure}>{planTitle(data?.planId ?? name)}</div>
      <Text size="sm" c="dimmed" mb="md">
        {data
          ? `${formatPrice(data.price)}${data.price > 0 ? ' per month' : ''}`
          : 'Free; unused credits expire each month'}
      </Text>
      <dl className={css.facts}>
        <dt>Credits per month</dt>
        <dd>{formatWhole(data?.monthlyCredits ?? creditsPerMonth ?? -1)}</dd>
        {data && (
          <>
            <dt>Used this period</dt>
            <dd>{formatWhole(data.creditsUsed)}</dd>
            <dt>{data.status === 'active' ? 'Next billing' : 'Paid until'}</dt>
            <dd>{formatDay(data.nextBillingDate)}</dd>
          </>
        )}
        {callsPerMonth !== null && (
          <>
            <dt>Calls per month</dt>
            <dd>{formatWhole(callsPerMonth)}</dd>
          </>
        )}
        <dt>Calls per minute</dt>
        <dd>{formatWhole(callsPerMinute ?? -1)}</dd>
      </dl>
      <Group mt="lg">
        <Button component={Link} href="/plans" variant={data ? 'default' : 'filled'}>
          {data ? 'Change plan' : 'Compare plans'}
        </Button>
      </Group>
    </Panel>
  );
}
