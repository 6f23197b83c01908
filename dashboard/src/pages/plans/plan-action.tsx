import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { PlanName } from '#contract/billing/plans.ts';
import { useConfig } from '../../api/config.ts';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { planTitle } from '../../lib/names.ts';
import { ChangeDialog } from './change/change-dialog.tsx';
import { rollOver } from './change/subscribe.tsx';
import { isFreeAllowance, isSelfServe, type Plan, type PlanState, type Subscription } from './plan.ts';
import { useResume } from './use-resume.ts';

interface PlanActionProps {
  readonly plan: Plan;
  readonly current: Plan | undefined;
  readonly subscription: Subscription;
  readonly state: PlanState;
}

const enterprise: PlanName = 'enterprise';

/** The way to a plan from the current one. The cancelled plan itself is resumed while its paid period runs. */
export function PlanAction({ plan, current, subscription, state }: PlanActionProps) {
  const [isOpen, setOpen] = useState(false);
  const { canResume, resume, isRunning, error } = useResume(subscription);
  const { salesEmail } = useConfig();
  if (!isSelfServe(plan)) return <ContactSales plan={plan} email={salesEmail} isCurrent={plan.id === current?.id} />;
  const title = planTitle(plan.name);
  if (canResume && plan.id === current?.id)
    return (
      <>
        {error && <ErrorNotice error={error} />}
        <Button fullWidth loading={isRunning} onClick={resume} aria-label={`Resume ${title}`}>
          Resume
        </Button>
      </>
    );
  const isFree = isFreeAllowance(plan, subscription);
  return (
    <>
      {isFree && (
        <Text size="xs" c="dimmed">
          Unused credits expire each month. Turn on roll-over to keep them for three more months, at no cost.
        </Text>
      )}
      <Button
        fullWidth
        variant={state === 'smaller' || isFree ? 'default' : 'filled'}
        disabled={state === 'current' || state === 'scheduled' || current?.name === enterprise}
        onClick={() => setOpen(true)}
        aria-label={isFree ? rollOver : `${labels[state]} ${title}`}
      >
        {isFree ? rollOver : labels[state]}
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

interface ContactSalesProps {
  readonly plan: Plan;
  /** Null if the deployment has no sales address. */
  readonly email: string | null;
  readonly isCurrent: boolean;
}

function ContactSales({ plan, email, isCurrent }: ContactSalesProps) {
  if (isCurrent)
    return (
      <Button fullWidth disabled>
        {labels.current}
      </Button>
    );
  if (email === null)
    return (
      <Text size="sm" c="dimmed">
        Contact sales to subscribe.
      </Text>
    );
  const subject = encodeURIComponent(`${planTitle(plan.name)} plan`);
  return (
    <Button fullWidth variant="default" component="a" href={`mailto:${email}?subject=${subject}`}>
      Contact sales
    </Button>
  );
}

const labels: Readonly<Record<PlanState, string>> = {
  current: 'Current plan',
  scheduled: 'Scheduled',
  available: 'Subscribe',
  larger: 'Upgrade',
  smaller: 'Downgrade',
};
