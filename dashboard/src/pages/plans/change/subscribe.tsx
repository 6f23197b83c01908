import { Stack, Text } from '@mantine/core';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../../api/call.ts';
import { formatMoney, formatWhole } from '../../../lib/format.ts';
import { planInSentence, planTitle } from '../../../lib/names.ts';
import type { Plan } from '../plan.ts';
import { ChangeButton } from './change-button.tsx';
import { DueList } from './due-list.tsx';

export function Subscribe({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const title = planTitle(plan.name);
  const price = formatMoney(plan.price ?? 0);
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
        What is left of your free allowance stays until it expires. You can cancel at any time.
      </Text>
      <ChangeButton
        act={() =>
          call(subscriptionRoutes.createSubscription, { body: { planId: plan.name, billingCycle: 'monthly' } })
        }
        done={`You are on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Subscribe to {title}
      </ChangeButton>
    </Stack>
  );
}
