import { Badge, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { Link } from 'wouter';
import { findPlan, freePlanRank } from '#contract/billing/plans.ts';
import { useConfig, usePlanLimits } from '../../api/config.ts';
import { useCredits, useMe, useSubscription, useUsage } from '../../api/reads.ts';
import { ErrorBoundary } from '../../components/boundary.tsx';
import { LazyDayChart } from '../../components/lazy-day-chart.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Empty, Page, Panel, PlaygroundLink } from '../../components/page.tsx';
import { count, creditCount, formatAbout, formatDay, formatPrice, formatWhole } from '../../lib/format.ts';
import { orReload } from '../../lib/load.ts';
import { planTitle } from '../../lib/names.ts';
import { daysBetween, type Measure, sum, totalsBy } from '../../lib/usage.ts';
import { chargedPrice, endOf, type Subscription } from '../plans/plan.ts';
import { Attention } from './attention.tsx';
import { CreditsPanel } from './credits-panel.tsx';
import { useFirstSteps } from './first-steps.ts';
import css from './overview.module.css';

/** Loaded only for accounts with open steps. */
const FirstStepsPanel = lazy(orReload(() => import('./first-steps-panel.tsx')));

export default function OverviewPage() {
  const { data: me } = useMe();
  const { state, done, dismiss } = useFirstSteps();
  const { data: credits, error } = useCredits();
  const isPending = state === 'pending' || (credits === undefined && error === null);
  return (
    <Page title={me ? `Hello, ${me.name}` : 'Overview'} lead="Account summary">
      {isPending ? (
        <OverviewSkeleton />
      ) : (
        <Suspense fallback={<OverviewSkeleton />}>
          <Stack gap="lg">
            {state === 'shown' && (
              <ErrorBoundary fallback={() => null}>
                <FirstStepsPanel done={done} dismiss={dismiss} />
              </ErrorBoundary>
            )}
            <Attention hasNoSteps={state === 'hidden'} />
            <div className={css.top}>
              <CreditsPanel />
              <PlanPanel />
            </div>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <ActivityPanel measure="calls" />
              <ActivityPanel measure="credits" />
            </SimpleGrid>
          </Stack>
        </Suspense>
      )}
    </Page>
  );
}

/** Shown until the first panel is known, which would otherwise move everything below. */
function OverviewSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading">
      <Skeleton height={290} radius="lg" />
      <Skeleton height={290} radius="lg" />
    </Stack>
  );
}

const statuses = {
  active: { title: 'Active', color: 'pine' },
  cancelled: { title: 'Cancelled', color: 'yellow.8' },
  pastDue: { title: 'Past due', color: 'red' },
} as const;

function PlanPanel() {
  const { data, error, refetch } = useSubscription();
  const limitsOf = usePlanLimits();
  const { payments } = useConfig();
  if (data === undefined)
    return (
      <Panel title="Plan">
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={190} radius="md" />}
      </Panel>
    );
  const { name, creditsPerMonth, callsPerMonth, callsPerMinute } = {
    ...limitsOf(findPlan(data?.planId ?? '')?.rank ?? freePlanRank),
    ...data?.terms,
  };
  const status = data && statuses[data.pastDue ? 'pastDue' : data.status];
  const end = endOf(data);
  return (
    <Panel title="Plan" aside={status && <Badge color={status.color}>{status.title}</Badge>}>
      <div className={css.figure}>{planTitle(data?.planId ?? name)}</div>
      <Text size="sm" c="dimmed" mb="md">
        {data ? priceText(data, payments) : 'Free; unused credits expire each month'}
      </Text>
      <dl className={css.facts}>
        <dt>Credits per month</dt>
        <dd>{formatWhole(data?.monthlyCredits ?? creditsPerMonth ?? -1)}</dd>
        {data && (
          <>
            <dt>Used this period</dt>
            <dd>{formatWhole(data.creditsUsed)}</dd>
            <dt>{end === undefined ? 'Next billing' : 'Ends on'}</dt>
            <dd>{formatDay(end ?? data.nextBillingDate)}</dd>
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

function priceText(subscription: NonNullable<Subscription>, takesPayments: boolean): string {
  const { price } = subscription;
  if (price > 0 && endOf(subscription) !== undefined) return 'No further payments';
  if (takesPayments) return chargedPrice(subscription);
  return price > 0 ? `${formatPrice(price)} per month` : formatPrice(price);
}

type ShownMeasure = Exclude<Measure, 'tokens'>;

const titles: Readonly<Record<ShownMeasure, string>> = { calls: 'Calls', credits: 'Credits spent' };
const height = 170;

function ActivityPanel({ measure }: { measure: ShownMeasure }) {
  const { data, error, refetch } = useUsage('service');
  const chart = useMemo(() => {
    if (!data) return undefined;
    const days = daysBetween(data.from, data.to);
    const [all] = totalsBy(data.days, days, () => titles[measure]);
    return { days, series: all ? [{ name: all.name, values: all.perDay[measure] }] : [] };
  }, [data, measure]);
  const total = sum(chart?.series[0]?.values ?? []);
  const reading = measure === 'calls' ? count(total, 'call') : creditCount(total, formatAbout);

  return (
    <Panel
      title={titles[measure]}
      aside={
        <Text size="sm" c="dimmed">
          last 30 days
        </Text>
      }
    >
      <div className={css.figure}>{data ? reading : <Skeleton height={24} width={110} my={7} />}</div>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!chart && !error && <Skeleton height={height} radius="md" />}
      {chart?.series.length === 0 && (
        <div style={{ minHeight: height }}>
          <Empty icon="usage" title="No data yet" action={<PlaygroundLink />} />
        </div>
      )}
      {chart && chart.series.length > 0 && (
        <LazyDayChart {...chart} height={height} unit={measure} label={`${reading} in the last 30 days, per day`} />
      )}
    </Panel>
  );
}
