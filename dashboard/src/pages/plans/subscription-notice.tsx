import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { freePlanName } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { useAction } from '../../api/actions.ts';
import { call, perform } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { planReads } from '../../api/reads.ts';
import type { ApiError } from '../../api/response.ts';
import { confirm } from '../../components/dialogs.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { PortalLink, usePortal } from '../../components/payments.tsx';
import { creditCount, formatDay } from '../../lib/format.ts';
import { planInSentence, planNameOf, planTitle } from '../../lib/offer.ts';
import type { PaymentRecord } from '../../lib/payment-text.ts';
import { usePayments } from '../billing/purchases.tsx';
import { endOf, isInForce, pastDueText, type Subscription } from './plan.ts';

export function SubscriptionNotice({ subscription }: { subscription: NonNullable<Subscription> }) {
  const { id, planId, status, creditsUsed, nextBillingDate, pendingPlanId, replacement } = subscription;
  const { creditsExpireAt } = subscription;
  const isFree = planNameOf(planId) === freePlanName;
  const { run, error } = useAction((act: () => Promise<unknown>) => act().then(() => true), planReads);
  const { canResume, resume, error: resumeError } = useResume(subscription);
  const title = planInSentence(planId);
  const day = formatDay(nextBillingDate);
  const expiry = formatDay(creditsExpireAt ?? nextBillingDate);

  const isEnding = endOf(subscription) !== undefined;
  const next = [
    isFree ? 'The next month begins on' : 'The next billing date is',
    ` ${day}`,
    replacement && pendingPlanId === undefined
      ? `. Your plan ends: from ${formatDay(replacement.from)} you will be on the ${planInSentence(replacement.planId)}`
      : '',
    pendingPlanId === undefined ? '.' : `; from then on you will be on the ${planInSentence(pendingPlanId)}.`,
  ].join('');

  const change = (act: () => Promise<unknown>, message: string) =>
    void run(act).then((done) => done && notify({ message }));

  const askToCancel = () =>
    confirm({
      ...(isFree
        ? {
            title: 'Turn off roll-over?',
            text: `You stay on the free plan with its credits each month. Your current credits can be spent for at least 30 days.`,
            action: 'Turn off roll-over',
            keep: 'Keep roll-over',
          }
        : {
            title: `Cancel the ${title}?`,
            text: `You keep its limits and models until ${day}, and can spend its credits for at least 30 days. Then you return to the free plan, and are not billed again.`,
            action: 'Cancel subscription',
            keep: 'Keep subscription',
          }),
      onConfirm: () =>
        change(
          () => call(subscriptionRoutes.cancelSubscription, { path: { id } }),
          isFree ? 'Roll-over is turned off.' : `Your ${planTitle(planId)} subscription is cancelled.`,
        ),
    });

  const keep = () =>
    change(() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: planId } }), `You stay on the ${title}.`);

  if (status !== 'active')
    return (
      <>
        <Notice tone="warning" actions={canResume && <Action onClick={resume}>Resume</Action>}>
          {isFree ? 'Roll-over is turned off.' : `Your ${planTitle(planId)} subscription is cancelled.`} Its limits
          apply
          {day === expiry ? '' : ` until ${day}`}, and its credits can be spent{day === expiry ? ',' : ''} until{' '}
          {expiry}.{isFree ? '' : ' There are no further payments.'}
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
            {pendingPlanId !== undefined && !isEnding && <Action onClick={keep}>Keep the {title}</Action>}
            <Action onClick={askToCancel}>{isFree ? 'Turn off roll-over' : 'Cancel subscription'}</Action>
          </Group>
        }
      >
        You are on the {title} and have used {creditCount(creditsUsed)} this period. {!isEnding && next}
      </Notice>
      {error && <ErrorNotice error={error} />}
    </>
  );
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
    if (await run(undefined)) notify({ message: `The ${planInSentence(planId)} is resumed.` });
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
            {url !== undefined && <a href={url}>Pay now</a>}
            <PortalLink portal={portal}>Change the card</PortalLink>
          </>
        }
      >
        {text}
      </Notice>
      {portal.error && <ErrorNotice error={portal.error} />}
    </>
  );
}
