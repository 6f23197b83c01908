import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import type { InferOutput } from 'valibot';
import { Link } from 'wouter';
import type { Credits } from '#contract/billing/credits.ts';
import { findPlan, freePlanRank } from '#contract/billing/plans.ts';
import type { CurrentSubscription } from '#contract/billing/subscriptions.ts';
import { dayMs } from '#contract/shared/time.ts';
import { useConfig, useNow, usePlanLimits, useSellsCredits } from '../../api/config.ts';
import { isPlaygroundKey, type KeyRecord } from '../../api/keys.ts';
import { useMay } from '../../api/organizations.ts';
import { useCredits, useKeys, useMe, useSubscription, useUsage } from '../../api/reads.ts';
import { ErrorBoundary } from '../../components/boundary.tsx';
import { Unconfirmed } from '../../components/emails.tsx';
import { LazyDayChart } from '../../components/lazy-day-chart.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Empty, Page, Panel, PlaygroundLink } from '../../components/page.tsx';
import {
  creditCount,
  formatAbout,
  formatDay,
  formatFromNow,
  formatPrice,
  formatWhole,
  isUnlimited,
} from '../../lib/format.ts';
import { orReload } from '../../lib/load.ts';
import { agreedPrice, planInSentence, planTitle } from '../../lib/offer.ts';
import { daysBetween, type Measure, sum, totalsBy } from '../../lib/usage.ts';
import { chargedPrice, endOf, pastDueText, type Subscription } from '../plans/plan.ts';
import { CreditsPanel } from './credits-panel.tsx';
import { useFirstSteps } from './first-steps.ts';
import css from './overview.module.css';

/** Loaded only for accounts with open steps. */
const FirstStepsPanel = lazy(orReload(() => import('./first-steps-panel.tsx')));

export default function OverviewPage() {
  const { data: me } = useMe();
  const { state, ...steps } = useFirstSteps();
  // A retry has no error while it runs. It must not unmount the panels, which would retry again.
  const { data: credits, errorUpdateCount } = useCredits();
  const isPending = state === 'pending' || (credits === undefined && errorUpdateCount === 0);
  return (
    <Page title={me ? t`Hello, ${{ name: me.name }}` : t`Overview`} lead={t`Account summary`}>
      {isPending ? (
        <OverviewSkeleton />
      ) : (
        <Suspense fallback={<OverviewSkeleton />}>
          <Stack gap="lg">
            {state === 'shown' && (
              <ErrorBoundary fallback={() => null}>
                <FirstStepsPanel {...steps} />
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
    <Stack gap="lg" aria-busy="true" aria-label={t`Loading`}>
      <Skeleton height={290} radius="lg" />
      <Skeleton height={290} radius="lg" />
    </Stack>
  );
}

const statuses = {
  active: { title: msg({ message: 'Active', context: 'subscription' }), color: 'pine' },
  cancelled: { title: msg({ message: 'Cancelled', context: 'subscription' }), color: 'yellow.8' },
  pastDue: { title: msg({ message: 'Past due', context: 'subscription' }), color: 'red' },
} as const;

function PlanPanel() {
  const { data, error, refetch } = useSubscription();
  const limitsOf = usePlanLimits();
  const { payments } = useConfig();
  const mayBill = useMay('bill');
  if (data === undefined)
    return (
      <Panel title={t`Plan`}>
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
    <Panel title={t`Plan`} aside={status && <Badge color={status.color}>{i18n._(status.title)}</Badge>}>
      <div className={css.figure}>{planTitle(data?.planId ?? name)}</div>
      <Text size="sm" c="dimmed" mb="md">
        {data ? priceText(data, payments) : t`Free; unused credits expire each month`}
      </Text>
      <dl className={css.facts}>
        <dt>{t`Credits per month`}</dt>
        <dd>{formatWhole(data?.monthlyCredits ?? creditsPerMonth ?? -1)}</dd>
        {data && (
          <>
            <dt>{t`Used this period`}</dt>
            <dd>{formatWhole(data.creditsUsed)}</dd>
            <dt>{end === undefined ? t`Next billing` : t`Ends on`}</dt>
            <dd>{formatDay(end ?? data.nextBillingDate)}</dd>
          </>
        )}
        {callsPerMonth !== null && (
          <>
            <dt>{t`Calls per month`}</dt>
            <dd>{formatWhole(callsPerMonth)}</dd>
          </>
        )}
        <dt>{t`Calls per minute`}</dt>
        <dd>{formatWhole(callsPerMinute ?? -1)}</dd>
      </dl>
      <Group mt="lg">
        <Button component={Link} href="/plans" variant={data || !mayBill ? 'default' : 'filled'}>
          {data && mayBill ? t`Change plan` : t`Compare plans`}
        </Button>
      </Group>
    </Panel>
  );
}

function priceText(subscription: NonNullable<Subscription>, takesPayments: boolean): string {
  const price = agreedPrice(subscription);
  if (price && endOf(subscription) !== undefined) return t`No further payments`;
  if (takesPayments) return chargedPrice(subscription);
  return price ? t`${{ price: formatPrice(price) }} per month` : formatPrice(price);
}

type ShownMeasure = Exclude<Measure, 'tokens'>;

const titles: Readonly<Record<ShownMeasure, MessageDescriptor>> = { calls: msg`Calls`, credits: msg`Credits spent` };
const height = 170;

function ActivityPanel({ measure }: { measure: ShownMeasure }) {
  const { data, error, refetch } = useUsage('service');
  const title = i18n._(titles[measure]);
  const chart = useMemo(() => {
    if (!data) return undefined;
    const days = daysBetween(data.from, data.to);
    const [all] = totalsBy(data.days, days, () => title);
    return { days, series: all ? [{ name: all.name, values: all.perDay[measure] }] : [] };
  }, [data, measure, title]);
  const total = sum(chart?.series[0]?.values ?? []);
  const reading =
    measure === 'calls' ? plural(total, { one: '# call', other: '# calls' }) : creditCount(total, formatAbout);

  return (
    <Panel
      title={title}
      aside={
        <Text size="sm" c="dimmed">
          <Trans>last 30 days</Trans>
        </Text>
      }
    >
      <div className={css.figure}>{data ? reading : <Skeleton height={24} width={110} my={7} />}</div>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!chart && !error && <Skeleton height={height} radius="md" />}
      {chart?.series.length === 0 && (
        <div style={{ minHeight: height }}>
          <Empty icon="usage" title={t`No data yet`} action={<PlaygroundLink />} />
        </div>
      )}
      {chart && chart.series.length > 0 && (
        <LazyDayChart {...chart} height={height} unit={measure} label={t`${reading} in the last 30 days, per day`} />
      )}
    </Panel>
  );
}

function Attention({ hasNoSteps }: { hasNoSteps: boolean }) {
  const { data: me } = useMe();
  const isUnconfirmed = me?.isConfirmed === false;
  const known = {
    credits: useCredits().data,
    keys: useKeys().data,
    subscription: useSubscription().data,
    sellsCredits: useSellsCredits(),
    mayBill: useMay('bill'),
    now: useNow(),
  };
  const mayDevelop = useMay('develop');
  // The first steps panel shows these while it is visible.
  const items = attentionItems(known).filter(
    ({ id }) => id !== 'no-key' || (hasNoSteps && !isUnconfirmed && mayDevelop),
  );
  if (items.length === 0 && !(isUnconfirmed && hasNoSteps)) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t`Alerts`}>
      {isUnconfirmed && hasNoSteps && <Unconfirmed email={me.email} />}
      {items.map(({ id, text, href, action, tone }) => (
        <Notice key={id} tone={tone} actions={<Link href={href}>{action}</Link>}>
          {text}
        </Notice>
      ))}
    </Stack>
  );
}

interface Known {
  readonly credits: InferOutput<typeof Credits> | undefined;
  readonly keys: readonly KeyRecord[] | undefined;
  readonly subscription: InferOutput<typeof CurrentSubscription> | undefined;
  readonly sellsCredits: boolean;
  readonly mayBill: boolean;
  readonly now: number;
}

interface AttentionItem {
  readonly id: string;
  readonly text: string;
  readonly href: string;
  readonly action: string;
  readonly tone: 'info' | 'warning';
}

const soonMs = 7 * dayMs;
const low = 0.1;

/** Returns the notices for the user, most urgent first. */
function attentionItems({ credits, keys, subscription, sellsCredits, mayBill, now }: Known): AttentionItem[] {
  const isSoon = (iso: string): boolean => Date.parse(iso) - now < soonMs && Date.parse(iso) > now;
  const items: AttentionItem[] = [];
  const activeKeys = keys?.filter((key) => key.status === 'active' && !isPlaygroundKey(key));
  const unpaid = subscription && pastDueText(subscription);
  if (unpaid !== null && unpaid !== undefined)
    items.push({
      id: 'past-due',
      text: unpaid,
      ...(mayBill ? { href: '/billing', action: t`View billing` } : { href: '/plans', action: t`View plans` }),
      tone: 'warning',
    });
  if (credits) items.push(...creditsItems(credits, sellsCredits && mayBill));
  if (activeKeys?.length === 0)
    items.push({
      id: 'no-key',
      text: t`You have no active API key.`,
      href: '/keys?new',
      action: t`Create API key`,
      tone: 'info',
    });
  if (subscription?.status === 'cancelled')
    items.push({
      id: 'cancelled',
      text: t`Your ${{ plan: planTitle(subscription.planId) }} subscription is cancelled. Its credits can be spent until ${{ day: formatDay(subscription.creditsExpireAt ?? subscription.nextBillingDate) }}.`,
      href: '/plans',
      action: mayBill ? t`Choose a plan` : t`View plans`,
      tone: 'warning',
    });
  if (subscription?.pendingPlanId !== undefined && endOf(subscription) === undefined)
    items.push({
      id: 'pending',
      text: t`From ${{ day: formatDay(subscription.nextBillingDate) }} you will be on the ${{ plan: planInSentence(subscription.pendingPlanId) }}.`,
      href: '/plans',
      action: t`View plans`,
      tone: 'info',
    });
  for (const { id, name, expiresAt } of activeKeys ?? [])
    if (expiresAt !== null && isSoon(expiresAt))
      items.push({
        id,
        text: t`The key “${name}” expires ${{ when: formatFromNow(expiresAt, now) }}.`,
        href: '/keys',
        action: t`View keys`,
        tone: 'warning',
      });
  for (const { source, remaining, expiresAt } of credits?.lots ?? []) {
    const [left, when] = [creditCount(remaining), formatFromNow(expiresAt, now)];
    if (source !== 'free' && remaining > 0 && isSoon(expiresAt))
      items.push({
        id: `lot-${source}-${expiresAt}`,
        text: plural(
          { count: Math.round(remaining) },
          { one: `${left} expires ${when}.`, other: `${left} expire ${when}.` },
        ),
        href: '/usage',
        action: t`View usage`,
        tone: 'info',
      });
  }
  return items;
}

function creditsItems({ balance, lots }: InferOutput<typeof Credits>, sellsCredits: boolean): AttentionItem[] {
  const plans = {
    ...(sellsCredits ? { href: '/billing', action: t`Buy credits` } : { href: '/plans', action: t`View plans` }),
    tone: 'warning',
  } as const;
  if (balance === 0) return [{ id: 'no-credits', text: t`You're out of credits. Calls are rejected.`, ...plans }];
  const granted = lots.reduce((sum, lot) => sum + lot.granted, 0);
  if (isUnlimited(balance) || balance >= granted * low) return [];
  const left = creditCount(balance);
  const text = plural(
    { count: Math.round(balance) },
    { one: `Only ${left} is left.`, other: `Only ${left} are left.` },
  );
  return [{ id: 'low-credits', text, ...plans }];
}
