import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { perform } from '../../api/call.ts';
import { useNow } from '../../api/clock.ts';
import { type ApiError } from '../../api/http/api-error.ts';
import { planReads } from '../../api/reads.ts';
import { useAction } from '../../api/use-data.ts';
import { notify } from '../../components/feedback/notifications.tsx';
import { planInSentence } from '../../lib/names.ts';
import { isInForce, type Subscription } from './plan.ts';

interface Resume {
  /** True while the paid period of a cancelled subscription runs. */
  readonly canResume: boolean;
  readonly resume: () => void;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
}

/** Takes a cancellation back. */
export function useResume(subscription: Subscription): Resume {
  const now = useNow();
  const { id = '', planId = '', status } = subscription ?? {};
  const { run, isRunning, error } = useAction(
    () => perform(subscriptionRoutes.resumeSubscription, { path: { id } }).then(() => true),
    planReads,
  );
  async function resume(): Promise<void> {
    if (await run(undefined)) notify({ message: `The ${planInSentence(planId)} is resumed.` });
  }
  return {
    canResume: status === 'cancelled' && isInForce(subscription, now),
    resume: () => void resume(),
    isRunning,
    error,
  };
}
