import { Stack, Text } from '@mantine/core';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../../api/call.ts';
import { formatDay, formatMoney, formatWhole } from '../../../lib/format.ts';
import { planInSentence } from '../../../lib/names.ts';
import type { Plan } from '../plan.ts';
import { ChangeButton } from './change-button.tsx';
import { DueList } from './due-list.tsx';

interface DowngradeProps {
  readonly plan: Plan;
  readonly from: Plan;
  /** When the next cycle begins, YYYY-MM-DD. */
  readonly billedOn: string;
  readonly onDone: () => void;
}

export function Downgrade({ plan, from, billedOn, onDone }: DowngradeProps) {
  const day = formatDay(billedOn);
  return (
    <Stack>
      <DueList
        lines={[
          ['Due now', formatMoney(0)],
          [`From ${day}, each month`, formatMoney(plan.price ?? 0)],
          ['Credits per month from then on', formatWhole(plan.quota_limit ?? -1)],
        ]}
      />
      <Text size="sm" c="dimmed">
        Until {day} you keep the limits and models of the {planInSentence(from.name)}. Your remaining credits keep their
        expiry dates.
      </Text>
      <ChangeButton
        act={() => call(subscriptionRoutes.downgradePlan, { body: { newPlanId: plan.name } })}
        done={`From ${day} you will be on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Downgrade on {day}
      </ChangeButton>
    </Stack>
  );
}
