import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { planListing } from '#contract/billing/plans.ts';
import { useConfig, useNow, usePlanLimits, useSellsCredits } from '../../api/config.ts';
import { usePlans, useSubscription } from '../../api/reads.ts';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Allowed, RoleNotice } from '../../components/roles.tsx';
import { creditCount, formatPrice } from '../../lib/format.ts';
import { planChanges, planNameOf, planTitle } from '../../lib/offer.ts';
import { Packs } from '../billing/purchases.tsx';
import { ChangeDialog, rollOver } from './change-dialog.tsx';
import {
  type PlanFact,
  planFacts,
  badgeOf,
  isFreeAllowance,
  isSelfServe,
  keptTerms,
  type Plan,
  type PlanState,
  planStateOf,
  recommendedPlan,
  type Subscription,
} from './plan.ts';
import css from './plans.module.css';
import { SubscriptionNotice, useResume } from './subscription-notice.tsx';

const paying = () => ({ access: 'bill', what: t`change the plan and pay` }) as const;
const skeletons = ['a', 'b', 'c', 'd', 'e'];

export default function PlansPage() {
  const { data, error, refetch } = usePlans();
  const { data: subscription, error: subscriptionError, refetch: again } = useSubscription();
  const sellsCredits = useSellsCredits();
  const failure = error ?? subscriptionError;
  const isLoaded = data !== undefined && subscription !== undefined;
  // A hidden plan is listed only for its subscribers.
  const current = planListing.find(({ name }) => name === planNameOf(subscription?.planId ?? ''));
  const sold = data?.plans ?? [];
  const plans = current && !sold.some(({ id }) => id === current.id) ? [current, ...sold] : sold;
  const recommended = recommendedPlan(sold, current);

  return (
    <Page
      title={t`Plans`}
      lead={t`Plans grant credits each month. Unused credits of a subscription roll over for up to three months.`}
    >
      <Stack gap="xl">
        {failure && !isLoaded && <ErrorNotice error={failure} onRetry={() => void Promise.all([refetch(), again()])} />}
        <RoleNotice {...paying()} />
        {isLoaded && subscription && (
          <Allowed {...paying()}>
            <SubscriptionNotice subscription={subscription} />
          </Allowed>
        )}
        {isLoaded && (
          <ul key="plans" className={css.plans}>
            {plans.map((plan) => (
              <PlanCard
                key={plan.id}
                plan={plan}
                current={current}
                subscription={subscription}
                isRecommended={plan === recommended}
              />
            ))}
          </ul>
        )}
        {isLoaded && sellsCredits && <BuyCredits />}
        {isLoaded || failure ? (
          <Rules />
        ) : (
          <ul key="skeletons" className={css.plans}>
            {skeletons.map((id) => (
              <li key={id}>
                <Skeleton height={340} radius="lg" />
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Page>
  );
}

function BuyCredits() {
  return (
    <section aria-labelledby="packs">
      <Title order={2} id="packs" mb="sm">
        <Trans>Buy credits</Trans>
      </Title>
      <Allowed {...paying()}>
        <Packs />
      </Allowed>
    </section>
  );
}

/** Rendered after the plans have loaded, so that they do not move it. */
function Rules() {
  return (
    <Text size="sm" c="dimmed" maw="46rem">
      {planChanges()}
    </Text>
  );
}

interface PlanCardProps {
  readonly plan: Plan;
  /** Plan of the subscription, if any. */
  readonly current: Plan | undefined;
  readonly subscription: Subscription;
  readonly isRecommended: boolean;
}

function PlanCard({ plan, current, subscription, isRecommended }: PlanCardProps) {
  const state = planStateOf(plan, current, subscription);
  const badge = badgeOf(plan, current, subscription, useNow());
  const isOwn = badge !== undefined && state !== 'scheduled';
  const kept = isOwn ? keptTerms(subscription) : undefined;
  const limits = usePlanLimits()(plan.id);
  const isChangeable = kept !== undefined && limits.isSold && state === 'current';
  const facts = planFacts({ ...limits, ...kept });
  const price = kept && subscription ? subscription.price : plan.price;

  return (
    <li className={[css.card, isOwn && css.current, !isSelfServe(plan) && css.custom].filter(Boolean).join(' ')}>
      <div className={css.head}>
        <Title order={2}>{planTitle(plan.name)}</Title>
        {badge !== undefined && <Badge className={css.badge}>{badge}</Badge>}
        {badge === undefined && isRecommended && (
          <Badge className={[css.badge, css.recommended].join(' ')}>
            <Trans>Recommended</Trans>
          </Badge>
        )}
      </div>
      <div>
        <div className={css.price}>{formatPrice(price)}</div>
        <Text size="sm" c="dimmed" mih="1.4em">
          {price !== null && price > 0 && <Trans>per month</Trans>}
        </Text>
      </div>
      <ul className={css.facts}>
        {facts.map((fact) => (
          <Fact key={`${fact.before}${fact.models}`} {...fact} />
        ))}
      </ul>
      <div className={css.action}>
        {kept && (
          <Text size="xs" c="dimmed">
            <Trans>Your terms.</Trans>{' '}
            {limits.isSold ? <NewTerms plan={plan} /> : <Trans>This plan is no longer sold.</Trans>}
          </Text>
        )}
        <Allowed {...paying()}>
          <PlanAction
            plan={plan}
            current={current}
            subscription={subscription}
            state={isChangeable ? 'otherTerms' : state}
          />
        </Allowed>
      </div>
    </li>
  );
}

function Fact({ isIncluded, before, models, after }: PlanFact) {
  return (
    <li className={isIncluded ? undefined : css.none}>
      <Icon name="check" size={15} />
      <span>
        {before}
        {models !== undefined && <span className={css.model}>{models}</span>}
        {after}
      </span>
    </li>
  );
}

interface PlanActionProps {
  readonly plan: Plan;
  readonly current: Plan | undefined;
  readonly subscription: Subscription;
  readonly state: PlanState | 'otherTerms';
}

function NewTerms({ plan }: { plan: Plan }) {
  const price = formatPrice(plan.price);
  if (plan.quota_limit === null) return <Trans>New subscriptions cost {price} for unlimited credits per month.</Trans>;
  const credits = creditCount(plan.quota_limit);
  return (
    <Trans>
      New subscriptions cost {price} for {credits} per month.
    </Trans>
  );
}

/** The button that changes to this plan, or resumes it if it was cancelled and its paid period has not ended. */
function PlanAction({ plan, current, subscription, state }: PlanActionProps) {
  const [isOpen, setOpen] = useState(false);
  const { canResume, resume, isRunning, error } = useResume(subscription);
  if (!isSelfServe(plan)) return <ContactSales plan={plan} isCurrent={plan.id === current?.id} />;
  const title = planTitle(plan.name);
  if (canResume && plan.id === current?.id)
    return (
      <>
        {error && <ErrorNotice error={error} />}
        <Button fullWidth loading={isRunning} onClick={resume} aria-label={t`Resume ${{ plan: title }}`}>
          <Trans>Resume</Trans>
        </Button>
      </>
    );
  const isFree = isFreeAllowance(plan, subscription);
  const action = i18n._(isFree ? rollOver : labels[state]);
  return (
    <>
      {isFree && (
        <Text size="xs" c="dimmed">
          <Trans>
            Unused credits expire each month. Turn on roll-over to keep them for three more months, at no cost.
          </Trans>
        </Text>
      )}
      <Button
        fullWidth
        variant={state === 'smaller' || state === 'otherTerms' || isFree ? 'default' : 'filled'}
        disabled={state === 'current' || state === 'scheduled' || (current !== undefined && !isSelfServe(current))}
        onClick={() => setOpen(true)}
        aria-label={
          isFree
            ? action
            : t({
                message: `${action} ${title}`,
                comment: 'Accessible name of a button: its label, then the plan, such as “Upgrade Dev Pass”',
              })
        }
      >
        {action}
      </Button>
      <ChangeDialog
        plan={plan}
        from={subscription?.status === 'active' ? current : undefined}
        isAgain={subscription?.status === 'cancelled'}
        billedOn={subscription?.nextBillingDate}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

function ContactSales({ plan, isCurrent }: { plan: Plan; isCurrent: boolean }) {
  const { salesEmail } = useConfig();
  if (isCurrent)
    return (
      <Button fullWidth disabled>
        {i18n._(labels.current)}
      </Button>
    );
  if (salesEmail === null)
    return (
      <Text size="sm" c="dimmed">
        <Trans>Contact sales to subscribe.</Trans>
      </Text>
    );
  const subject = encodeURIComponent(t`${{ plan: planTitle(plan.name) }} plan`);
  return (
    <Button fullWidth variant="default" component="a" href={`mailto:${salesEmail}?subject=${subject}`}>
      <Trans>Contact sales</Trans>
    </Button>
  );
}

const labels: Readonly<Record<PlanActionProps['state'], MessageDescriptor>> = {
  current: msg`Current plan`,
  otherTerms: msg`Use new terms`,
  scheduled: msg`Scheduled`,
  available: msg`Subscribe`,
  larger: msg`Upgrade`,
  smaller: msg`Downgrade`,
};
