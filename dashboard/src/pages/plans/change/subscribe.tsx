import { Stack, Text } from '@mantine/core';
import { freePlanRank } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../../api/call.ts';
import { formatMoney, formatWhole } from '../../../lib/format.ts';
import { planInSentence, planTitle } from '../../../lib/names.ts';
import type { Plan } from '../plan.ts';
import { ChangeButton } from './change-button.tsx';
import { DueList } from './due-list.tsx';

/** Subscribes to the free plan. The account already has its credits; from then on they roll over. */
export const rollOver = 'Turn on roll-over';

export function Subscribe({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const title = planTitle(plan.name);
  const price = formatMoney(plan.price ?? 0);
  const isFree = plan.id === freePlanRank;
  return (
    <Stack>
      <DueList
        lines={[
          ['Due now', price],
          ['Credits added immediately', formatWhole(plan.quota_limit ?? -1)],
          ['Then each month', price],
        ]}
      />
      <Text size="sm" c="dimmed">
        {isFree
          ? 'From now on, unused credits stay for three more months. This month’s remaining free credits expire as before. You can cancel at any time.'
          : 'Your remaining free credits stay until they expire. You can cancel at any time.'}
      </Text>
      <ChangeButton
        act={() =>
          call(subscriptionRoutes.createSubscription, { body: { planId: plan.name, billingCycle: 'monthly' } })
        }
        done={isFree ? 'Unused credits now roll over.' : `You are on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        {isFree ? rollOver : `Subscribe to ${title}`}
      </ChangeButton>
    </Stack>
  );
}
