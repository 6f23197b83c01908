import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useNow, useSellsCredits } from '../../api/config.ts';
import { useMe, usePlans, useSubscription } from '../../api/reads.ts';
import { Detail, Details } from '../../components/details.tsx';
import { Unconfirmed } from '../../components/emails.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { usePortal, useTopUp } from '../../components/payments.tsx';
import { formatDay, formatMoney } from '../../lib/format.ts';
import { useQuery } from '../../lib/hooks.ts';
import { freePlan, planTitle } from '../../lib/offer.ts';
import { cardExpiry, cardTitle, isExpired, isPaymentId } from '../../lib/payment-text.ts';
import {
  chargedPrice,
  endOf,
  isInForce,
  nextPayment,
  type Plan,
  type Subscription,
  unpaidRenewal,
} from '../plans/plan.ts';
import { PastDue } from '../plans/subscription-notice.tsx';
import css from './billing.module.css';
import { Packs, PaymentsPanel } from './purchases.tsx';
import { ReturnedPayment } from './returned-payment.tsx';
import { TopUpPanel } from './top-up-panel.tsx';

export default function BillingPage() {
  const { data: me } = useMe();
  const { data: subscription } = useSubscription();
  const sellsCredits = useSellsCredits();
  const [query, change] = useQuery();
  const payment = query.get('payment') ?? '';
  const isUnconfirmed = me?.isConfirmed === false;
  return (
    <Page title={t`Billing`} lead={t`Plan, credits, card and payments`}>
      <Stack gap="lg">
        {isUnconfirmed && <Unconfirmed email={me.email} permits={t`buy credits and plans`} />}
        {isPaymentId(payment) && !isUnconfirmed && (
          <ReturnedPayment
            key={payment}
            id={payment}
            isCancelled={query.has('cancelled')}
            onClose={() => change({ payment: undefined, cancelled: undefined })}
          />
        )}
        {subscription && <PastDue subscription={subscription} />}
        <div className={css.columns}>
          <PlanPanel />
          {!isUnconfirmed && <CardPanel />}
        </div>
        {sellsCredits && !isUnconfirmed && (
          <>
            <div id="packs">
              <Panel title={t`Buy credits`}>
                <Packs />
              </Panel>
            </div>
            <TopUpPanel />
          </>
        )}
        {!isUnconfirmed && <PaymentsPanel />}
      </Stack>
    </Page>
  );
}

function PlanPanel() {
  const { data: subscription, error, refetch } = useSubscription();
  const { data: listing } = usePlans();
  return (
    <Panel
      title={t`Plan`}
      aside={
        <Anchor component={Link} href="/plans" size="sm">
          <Trans>Change plan</Trans>
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
      <Detail title={t`Current plan`}>
        {current ? planTitle(current.planId) : (freePlan?.title ?? t({ message: 'None', context: 'plan' }))}
      </Detail>
      {end === undefined ? (
        <Detail title={t`Price`}>{chargedPrice(current)}</Detail>
      ) : (
        <Detail title={t`Ends on`}>{formatDay(end)}</Detail>
      )}
      {unpaid && <Unpaid {...unpaid} />}
      <Detail title={t`Next payment`}>
        {next
          ? t`${{ price: formatMoney(next.usd) }} on ${{ day: formatDay(next.day) }}`
          : t({ message: 'None', context: 'payment' })}
      </Detail>
      {end === undefined && current?.pendingPlanId !== undefined && (
        <Detail title={t`Changes to`}>
          {t`${{ plan: planTitle(current.pendingPlanId) }} on ${{ day: formatDay(current.nextBillingDate) }}`}
        </Detail>
      )}
    </Details>
  );
}

function Unpaid({ usd, since, isPastDue }: NonNullable<ReturnType<typeof unpaidRenewal>>) {
  const [price, day] = [formatMoney(usd), formatDay(since)];
  return (
    <Detail title={isPastDue ? t`Past due` : t`Renewal`}>
      {isPastDue ? t`${price} since ${day}` : t`${price} in progress since ${day}`}
    </Detail>
  );
}

function CardPanel() {
  const { data, error, refetch } = useTopUp();
  const portal = usePortal();
  const now = useNow();
  return (
    <Panel title={t`Card and invoices`}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={112} radius="md" />}
      {data && (
        <Stack gap="sm">
          {data.card ? (
            <Details>
              <Detail title={t`Saved card`}>{cardTitle(data.card)}</Detail>
              <Detail
                title={
                  isExpired(data.card, now)
                    ? t({ message: 'Expired', context: 'card' })
                    : t({ message: 'Expires', context: 'card' })
                }
              >
                {cardExpiry(data.card)}
              </Detail>
            </Details>
          ) : (
            <Text size="sm">
              <Trans>No card is saved. Your first payment saves one.</Trans>
            </Text>
          )}
          <Text size="sm" c="dimmed">
            <Trans>
              Change your card, address and tax ID, and find all invoices, in our payment provider’s customer portal.
            </Trans>
          </Text>
          {portal.error && <ErrorNotice error={portal.error} />}
          <Button
            variant="default"
            w="fit-content"
            loading={portal.isRunning}
            onClick={() => void portal.run(undefined)}
          >
            <Trans>Open customer portal</Trans>
          </Button>
        </Stack>
      )}
    </Panel>
  );
}
