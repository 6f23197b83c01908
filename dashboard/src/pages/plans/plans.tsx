import { Skeleton, Stack, Text } from '@mantine/core';
import { usePlans, useSubscription } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { planChanges, planNameOf } from '../../lib/names.ts';
import { PlanCard } from './plan-card.tsx';
import { recommendedPlan } from './plan.ts';
import css from './plans.module.css';
import { SubscriptionNotice } from './subscription-notice.tsx';

const skeletons = ['a', 'b', 'c', 'd', 'e'];

export default function PlansPage() {
  const { data, error, refetch } = usePlans();
  const { data: subscription, error: subscriptionError, refetch: again } = useSubscription();
  const failure = error ?? subscriptionError;
  const isLoaded = data !== undefined && subscription !== undefined;
  const current = data?.plans.find(({ name }) => name === planNameOf(subscription?.planId ?? ''));
  const recommended = recommendedPlan(data?.plans ?? [], current);

  return (
    <Page title="Plans" lead="Credits are granted each month; unused credits roll over for up to three months.">
      <Stack gap="xl">
        {failure && !isLoaded && <ErrorNotice error={failure} onRetry={() => void Promise.all([refetch(), again()])} />}
        {isLoaded && subscription && <SubscriptionNotice subscription={subscription} />}
        {isLoaded && (
          <ul key="plans" className={css.plans}>
            {data.plans.map((plan) => (
              <PlanCard
                key={plan.id}
                plan={plan}
                current={current}
                subscription={subscription}
                isRecommended={plan === recommended}
              />
            ))}
          </ul>
        )}
        {isLoaded || failure ? (
          <Rules />
        ) : (
          <ul key="skeletons" className={css.plans}>
            {skeletons.map((id) => (
              <li key={id}>
                <Skeleton height={340} radius="lg" />
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Page>
  );
}

/** Shown after the plans have loaded, which would otherwise move it. */
function Rules() {
  return (
    <Text size="sm" c="dimmed" maw="46rem">
      Every plan includes agents, speech and text analysis. {planChanges}
    </Text>
  );
}
