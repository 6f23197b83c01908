import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { freePlanName } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { planReads } from '../../api/reads.ts';
import type { ApiError } from '../../api/response.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { confirm } from '../../components/overlays.tsx';
import { PortalLink, usePortal } from '../../components/payments.tsx';
import { creditCount, formatDay } from '../../lib/format.ts';
import { planInSentence, planNameOf, planTitle } from '../../lib/offer.ts';
import type { PaymentRecord } from '../../lib/payment-text.ts';
import { usePayments } from '../billing/purchases.tsx';
import { endOf, isInForce, pastDueText, type Subscription } from './plan.ts';

export function SubscriptionNotice({ subscription }: { subscription: NonNullable<Subscription> }) {
  const { id, planId, status, creditsUsed, nextBillingDate, pendingPlanId } = subscription;
  const { creditsExpireAt } = subscription;
  const isFree = planNameOf(planId) === freePlanName;
  const { run, error } = useAction((act: () => Promise<unknown>) => act().then(() => true), planReads);
  const { canResume, resume, error: resumeError } = useResume(subscription);
  const plan = planInSentence(planId);
  const credits = creditCount(creditsUsed);
  const day = formatDay(nextBillingDate);
  const expiry = formatDay(creditsExpireAt ?? nextBillingDate);
  const cancelled = isFree
    ? t`Roll-over is turned off.`
    : t`Your ${{ plan: planTitle(planId) }} subscription is cancelled.`;
  const isEnding = endOf(subscription) !== undefined;

  const change = (act: () => Promise<unknown>, message: string) =>
    void run(act).then((done) => done && notify({ message }));

  const askToCancel = () =>
    confirm({
      ...(isFree
        ? {
            title: t`Turn off roll-over?`,
            text: t`You stay on the free plan with its credits each month. Your current credits can be spent for at least 30 days.`,
            action: t`Turn off roll-over`,
            keep: t`Keep roll-over`,
          }
        : {
            title: t`Cancel the ${plan}?`,
            text: t`You keep its limits and models until ${day}, and can spend its credits for at least 30 days. Then you return to the free plan, and are not billed again.`,
            action: t`Cancel subscription`,
            keep: t`Keep subscription`,
          }),
      onConfirm: () => change(() => call(subscriptionRoutes.cancelSubscription, { path: { id } }), cancelled),
    });

  const keep = () =>
    change(() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: planId } }), t`You stay on the ${plan}.`);

  if (status !== 'active')
    return (
      <>
        <Notice tone="warning" actions={canResume && <Action onClick={resume}>{t`Resume`}</Action>}>
          {cancelled}{' '}
          {day === expiry ? (
            <Trans>Its limits apply, and its credits can be spent, until {expiry}.</Trans>
          ) : (
            <Trans>
              Its limits apply until {day}, and its credits can be spent until {expiry}.
            </Trans>
          )}
          {!isFree && (
            <>
              {' '}
              <Trans>There are no further payments.</Trans>
            </>
          )}
        </Notice>
        {resumeError && <ErrorNotice error={resumeError} />}
      </>
    );
  return (
    <>
      <PastDue subscription={subscription} />
      <Notice
        tone="info"
        actions={
          <Group gap="md">
            {pendingPlanId !== undefined && !isEnding && <Action onClick={keep}>{t`Keep the ${plan}`}</Action>}
            <Action onClick={askToCancel}>{isFree ? t`Turn off roll-over` : t`Cancel subscription`}</Action>
          </Group>
        }
      >
        <Trans>
          You are on the {plan} and have used {credits} this period.
        </Trans>{' '}
        {!isEnding && nextMonth(subscription, day)}
      </Notice>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

/** Describes the next month. `day`: its formatted first day. */
function nextMonth({ planId, pendingPlanId, replacement }: NonNullable<Subscription>, day: string): string {
  const isFree = planNameOf(planId) === freePlanName;
  if (pendingPlanId !== undefined) {
    const plan = planInSentence(pendingPlanId);
    return isFree
      ? t`The next month begins on ${day}; from then on you will be on the ${plan}.`
      : t`The next billing date is ${day}; from then on you will be on the ${plan}.`;
  }
  const next = isFree ? t`The next month begins on ${day}.` : t`The next billing date is ${day}.`;
  if (!replacement) return next;
  const [from, plan] = [formatDay(replacement.from), planInSentence(replacement.planId)];
  return `${next} ${t`Your plan ends: from ${from} you will be on the ${plan}.`}`;
}

function Action({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Anchor component="button" type="button" onClick={onClick}>
      {children}
    </Anchor>
  );
}

interface Resume {
  /** True during the paid period of a cancelled subscription. */
  readonly canResume: boolean;
  readonly resume: () => void;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
}

export function useResume(subscription: Subscription): Resume {
  const now = useNow();
  const { id = '', planId = '', status } = subscription ?? {};
  const { run, isRunning, error } = useAction(
    () => perform(subscriptionRoutes.resumeSubscription, { path: { id } }).then(() => true),
    planReads,
  );
  async function resume(): Promise<void> {
    if (await run(undefined)) notify({ message: t`The ${{ plan: planInSentence(planId) }} is resumed.` });
  }
  return {
    canResume: status === 'cancelled' && isInForce(subscription, now),
    resume: () => void resume(),
    isRunning,
    error,
  };
}

const isPayable = ({ kind, url }: PaymentRecord): boolean => kind === 'renewal' && url !== undefined;

/** Status of the newest payment of a month, if it was refunded or disputed. */
function returnedStatus(payments: readonly PaymentRecord[]): 'refunded' | 'disputed' | undefined {
  const status = payments.find(({ kind, paidAt }) => isMonth(kind) && paidAt !== null)?.status;
  return status === 'refunded' || status === 'disputed' ? status : undefined;
}

const isMonth = (kind: PaymentRecord['kind']): boolean => kind === 'plan' || kind === 'renewal';

/** A notice while the current month is past due. It has ways to pay, unless the month was paid and then refunded. */
export function PastDue({ subscription }: { subscription: NonNullable<Subscription> }) {
  const portal = usePortal();
  const { pastDue } = subscription;
  const { data: payments = [] } = usePayments(pastDue !== undefined);
  const text = pastDueText(subscription, returnedStatus(payments));
  const url = payments.find(isPayable)?.url;
  if (text === undefined) return null;
  if (pastDue?.reason === 'payment_returned') return <Notice tone="error">{text}</Notice>;
  return (
    <>
      <Notice
        tone="error"
        actions={
          <>
            {url !== undefined && <a href={url}>{t`Pay now`}</a>}
            <PortalLink portal={portal}>{t`Change the card`}</PortalLink>
          </>
        }
      >
        {text}
      </Notice>
      {portal.error && <ErrorNotice error={portal.error} />}
    </>
  );
}
