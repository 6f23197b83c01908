import { Anchor, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { useNow } from '../../api/config.ts';
import { usePlans, useSubscription } from '../../api/reads.ts';
import { Detail, Details } from '../../components/details.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { formatDay, formatMoney } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';
import { freePlan } from '../../lib/offered.ts';
import { chargedPrice, endOf, isInForce, type Plan, type Subscription } from '../plans/plan.ts';
import { nextPayment, unpaidRenewal } from './next-payment.ts';

export function PlanPanel() {
  const { data: subscription, error, refetch } = useSubscription();
  const { data: listing } = usePlans();
  return (
    <Panel
      title="Plan"
      aside={
        <Anchor component={Link} href="/plans" size="sm">
          Change plan
        </Anchor>
      }
    >
      {error && subscription === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {subscription === undefined && !error && <Skeleton height={112} radius="md" />}
      {subscription !== undefined && <PlanDetails subscription={subscription} plans={listing?.plans ?? []} />}
    </Panel>
  );
}

function PlanDetails({ subscription, plans }: { subscription: Subscription; plans: readonly Plan[] }) {
  const now = useNow();
  const current = subscription && isInForce(subscription, now) ? subscription : null;
  const [next, unpaid, end] = [nextPayment(current, plans), unpaidRenewal(current), endOf(current)];
  return (
    <Details>
      <Detail title="Current plan">{current ? planTitle(current.planId) : (freePlan?.title ?? 'None')}</Detail>
      {end === undefined ? (
        <Detail title="Price">{chargedPrice(current)}</Detail>
      ) : (
        <Detail title="Ends on">{formatDay(end)}</Detail>
      )}
      {unpaid && (
        <Detail title={unpaid.isPastDue ? 'Past due' : 'Renewal'}>
          {`${formatMoney(unpaid.usd)} ${unpaid.isPastDue ? 'since' : 'in progress since'} ${formatDay(unpaid.since)}`}
        </Detail>
      )}
      <Detail title="Next payment">{next ? `${formatMoney(next.usd)} on ${formatDay(next.day)}` : 'None'}</Detail>
      {end === undefined && current?.pendingPlanId !== undefined && (
        <Detail title="Changes to">{`${planTitle(current.pendingPlanId)} on ${formatDay(current.nextBillingDate)}`}</Detail>
      )}
    </Details>
  );
}
