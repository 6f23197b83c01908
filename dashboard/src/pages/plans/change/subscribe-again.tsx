import { Skeleton, Stack, Text } from '@mantine/core';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { call } from '../../../api/call.ts';
import { useData } from '../../../api/use-data.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { formatDay } from '../../../lib/format.ts';
import { planInSentence, planTitle } from '../../../lib/names.ts';
import type { Plan } from '../plan.ts';
import { ChangeButton } from './change-button.tsx';
import { ProrationList } from './due-list.tsx';
import { Subscribe } from './subscribe.tsx';

/** Subscribing after a cancellation: a paid period that still runs continues. */
export function SubscribeAgain({ plan, onDone }: { plan: Plan; onDone: () => void }) {
  const { data, error, refetch } = useData(subscriptionRoutes.previewUpgrade, { query: { newPlanId: plan.name } });
  const title = planTitle(plan.name);
  if (error && 'code' in error && error.code === 'INVALID_STATE') return <Subscribe plan={plan} onDone={onDone} />;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={190} radius="md" />;
  const day = formatDay(data.to);
  return (
    <Stack>
      <ProrationList plan={plan} proration={data} />
      <Text size="sm" c="dimmed">
        The month you paid for runs until {day} and keeps its limits and credits. A larger plan starts immediately, for
        the difference; a smaller one with the next month.
      </Text>
      <ChangeButton
        act={() =>
          call(subscriptionRoutes.createSubscription, { body: { planId: plan.name, billingCycle: 'monthly' } })
        }
        done={`You are subscribed to the ${planInSentence(plan.name)}.`}
        onDone={onDone}
      >
        Subscribe to {title}
      </ChangeButton>
    </Stack>
  );
}
