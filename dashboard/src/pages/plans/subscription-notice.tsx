import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../api/call.ts';
import { planReads } from '../../api/reads.ts';
import { useAction } from '../../api/use-data.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { notify } from '../../components/feedback/notifications.tsx';
import { confirm } from '../../components/overlays/confirm.tsx';
import { creditCount, formatDay, formatWhole } from '../../lib/format.ts';
import { planInSentence, planTitle } from '../../lib/names.ts';
import type { Subscription } from './plan.ts';
import { useResume } from './use-resume.ts';

/** Where the subscription stands, the way out of it, and back. */
export function SubscriptionNotice({ subscription }: { subscription: NonNullable<Subscription> }) {
  const { id, planId, status, creditsUsed, monthlyCredits, nextBillingDate, pendingPlanId } = subscription;
  const { creditsExpireAt } = subscription;
  const { run, error } = useAction((act: () => Promise<unknown>) => act().then(() => true), planReads);
  const { canResume, resume, error: resumeError } = useResume(subscription);
  const title = planInSentence(planId);
  const day = formatDay(nextBillingDate);

  const change = (act: () => Promise<unknown>, message: string) =>
    void run(act).then((done) => done && notify({ message }));

  const askToCancel = () =>
    confirm({
      title: `Cancel the ${title}?`,
      text: `You keep its limits and models until ${day}, and can spend its credits for at least 30 days. You get no new credits and are not billed again.`,
      action: 'Cancel subscription',
      keep: 'Keep subscription',
      onConfirm: () =>
        change(
          () => call(subscriptionRoutes.cancelSubscription, { path: { id } }),
          `Your ${planTitle(planId)} subscription is cancelled.`,
        ),
    });

  const keep = () =>
    change(() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: planId } }), `You stay on the ${title}.`);

  if (status !== 'active')
    return (
      <>
        <Notice tone="warning" actions={canResume && <Action onClick={resume}>Resume</Action>}>
          Your {planTitle(planId)} subscription is cancelled. Its limits apply until {day}, and its credits can be spent
          until {formatDay(creditsExpireAt ?? nextBillingDate)}.
        </Notice>
        {resumeError && <ErrorNotice error={resumeError} />}
      </>
    );
  return (
    <>
      <Notice
        tone="info"
        actions={
          <Group gap="md">
            {pendingPlanId !== undefined && <Action onClick={keep}>Keep the {title}</Action>}
            <Action onClick={askToCancel}>Cancel subscription</Action>
          </Group>
        }
      >
        You are on the {title} and have used {formatWhole(creditsUsed)} of {creditCount(monthlyCredits)} this period.
        The next billing date is {day}
        {pendingPlanId === undefined ? '.' : `; from then on you will be on the ${planInSentence(pendingPlanId)}.`}
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
