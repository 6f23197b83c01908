import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { planListing } from '#contract/billing/plans.ts';
import { useSellsCredits } from '../../api/config.ts';
import { usePlans, useSubscription } from '../../api/reads.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { planChanges, planNameOf } from '../../lib/names.ts';
import { Packs } from '../billing/packs.tsx';
import { PlanCard } from './plan-card.tsx';
import { recommendedPlan } from './plan.ts';
import css from './plans.module.css';
import { SubscriptionNotice } from './subscription-notice.tsx';

const skeletons = ['a', 'b', 'c', 'd', 'e'];

export default function PlansPage() {
  const { data, error, refetch } = usePlans();
  const { data: subscription, error: subscriptionError, refetch: again } = useSubscription();
  const sellsCredits = useSellsCredits();
  const failure = error ?? subscriptionError;
  const isLoaded = data !== undefined && subscription !== undefined;
  // A hidden plan is listed only for its subscribers.
  const current = planListing.find(({ name }) => name === planNameOf(subscription?.planId ?? ''));
  const sold = data?.plans ?? [];
  const plans = current && !sold.some(({ id }) => id === current.id) ? [current, ...sold] : sold;
  const recommended = recommendedPlan(sold, current);

  return (
    <Page title="Plans" lead="Credits are granted each month; unused credits roll over for up to three months.">
      <Stack gap="xl">
        {failure && !isLoaded && <ErrorNotice error={failure} onRetry={() => void Promise.all([refetch(), again()])} />}
        {isLoaded && subscription && <SubscriptionNotice subscription={subscription} />}
        {isLoaded && (
          <ul key="plans" className={css.plans}>
            {plans.map((plan) => (
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
        {isLoaded && sellsCredits && <BuyCredits />}
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

function BuyCredits() {
  return (
    <section aria-labelledby="packs">
      <Title order={2} id="packs" mb="sm">
        Buy credits
      </Title>
      <Packs />
    </section>
  );
}

/** Rendered after the plans have loaded, so that they do not move it. */
function Rules() {
  return (
    <Text size="sm" c="dimmed" maw="46rem">
      Every plan includes agents, speech and text analysis. {planChanges}
    </Text>
  );
}
