import { Skeleton, Stack, Text } from '@mantine/core';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../../api/call.ts';
import { useData } from '../../../api/use-data.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { formatDay, formatMoney } from '../../../lib/format.ts';
import { planInSentence } from '../../../lib/names.ts';
import type { Plan } from '../plan.ts';
import { ChangeButton } from './change-button.tsx';
import { ProrationList } from './due-list.tsx';

/** An upgrade with its prorated price, which the service returns before it is done. */
export function Upgrade({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const { data, error, refetch } = useData(subscriptionRoutes.previewUpgrade, { query: { newPlanId: plan.name } });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={190} radius="md" />;
  return (
    <Stack>
      <ProrationList plan={plan} proration={data} />
      <Text size="sm" c="dimmed">
        The difference between the plans for the rest of this billing period, until {formatDay(data.to)}. It is prorated
        to the second. The billing date stays the same.
      </Text>
      <ChangeButton
        act={() => call(subscriptionRoutes.upgradePlan, { body: { newPlanId: plan.name } })}
        done={`You are on the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Upgrade for {formatMoney(data.amount)}
      </ChangeButton>
    </Stack>
  );
}
