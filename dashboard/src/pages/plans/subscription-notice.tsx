import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { routes } from '#contract/routes.ts';
import { call } from '../../api/call.ts';
import { planReads } from '../../api/reads.ts';
import { useAction } from '../../api/use-data.ts';
import { confirm } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatDay, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';
import type { Subscription } from './plan.ts';

/** Where the subscription stands, and the way out of it. */
export function SubscriptionNotice({ subscription }: { subscription: NonNullable<Subscription> }) {
  const { id, planId, status, creditsUsed, monthlyCredits, nextBillingDate, pendingPlanId, creditsExpireAt } =
    subscription;
  const { run, error } = useAction(() => call(routes.cancelSubscription, { path: { id } }), planReads);
  const title = planTitle(planId);
  const day = formatDay(nextBillingDate);

  const askToCancel = () =>
    confirm({
      title: `Cancel the ${title}?`,
      text: `You keep its limits and models until ${day}, and can spend its credits for 30 days from now. No new credits come, and nothing more is billed.`,
      action: 'Cancel the subscription',
      onConfirm: () =>
        void run(undefined).then((done) => done && notifications.show({ message: `The ${title} is cancelled.` })),
    });

  if (status !== 'active')
    return (
      <Notice tone="warning">
        The {title} is cancelled. Its limits hold until {day}; its credits can be spent until{' '}
        {formatDay(creditsExpireAt ?? nextBillingDate)}. Subscribe again whenever you like.
      </Notice>
    );
  return (
    <>
      <Notice
        tone="info"
        actions={
          <Anchor component="button" type="button" onClick={askToCancel}>
            Cancel the subscription
          </Anchor>
        }
      >
        You are on the {title}, and used {formatWhole(creditsUsed)} of {formatWhole(monthlyCredits)} credits this
        period. The next billing date is {day}
        {pendingPlanId === undefined ? '.' : `; from then on you are on the ${planTitle(pendingPlanId)}.`}
      </Notice>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
