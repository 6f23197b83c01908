import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useKeys, useMe, useSubscription, useUsage } from '../../../api/reads.ts';
import { dismiss, isDismissed } from './dismissal.ts';
import { doneSteps, type StepId, stepIds } from './steps.ts';

export interface FirstSteps {
  /** 'pending' until it is known whether they are shown. */
  readonly state: 'pending' | 'shown' | 'hidden';
  readonly done: ReadonlySet<StepId>;
  readonly dismiss: () => void;
}

const dismissalKey = 'first-steps-dismissal';

/** How far the account is, by its own state. Not shown once everything is done, or once it was dismissed. */
export function useFirstSteps(): FirstSteps {
  const client = useQueryClient();
  const me = useMe();
  const keys = useKeys();
  const usage = useUsage('service');
  const subscription = useSubscription();
  const account = me.data?.id;
  const dismissal = useQuery({
    queryKey: [dismissalKey, account],
    queryFn: () => account !== undefined && isDismissed(account),
    enabled: account !== undefined,
    staleTime: 0,
  });

  function hide(): void {
    if (account === undefined) return;
    dismiss(account);
    client.setQueryData([dismissalKey, account], true);
  }

  const hidden = { state: 'hidden', done: new Set<StepId>(), dismiss: hide } as const;
  if ([me, keys, usage, subscription].some(({ data, error }) => data === undefined && error !== null)) return hidden;
  if (!me.data || !keys.data || !usage.data || subscription.data === undefined || dismissal.data === undefined)
    return { ...hidden, state: 'pending' };
  if (dismissal.data) return hidden;
  const hasSubscription = subscription.data !== null;
  const done = doneSteps({ me: me.data, keys: keys.data, usage: usage.data, hasSubscription });
  return { state: done.size < stepIds.length ? 'shown' : 'hidden', done, dismiss: hide };
}
