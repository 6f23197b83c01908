import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as v from 'valibot';
import type { CurrentUser } from '#contract/accounts/accounts.ts';
import type { Usage } from '#contract/billing/credits.ts';
import { isPlaygroundKey, type KeyRecord } from '../../api/keys.ts';
import { useMay } from '../../api/organizations.ts';
import { useKeys, useMe, useSubscription, useUsage } from '../../api/reads.ts';
import { readStored, store } from '../../lib/storage.ts';

export interface FirstSteps {
  /** 'pending' while loading. */
  readonly state: 'pending' | 'shown' | 'hidden';
  /** Steps that the member's role permits. */
  readonly steps: readonly StepId[];
  readonly done: ReadonlySet<StepId>;
  readonly dismiss: () => void;
}

const dismissalKey = 'first-steps-dismissal';

/** Progress of the account. Hidden once every step is done or the user dismissed the panel. */
export function useFirstSteps(): FirstSteps {
  const client = useQueryClient();
  const me = useMe();
  const keys = useKeys();
  const usage = useUsage('service');
  const subscription = useSubscription();
  const account = me.data?.id;
  const may = { read: useMay('read'), develop: useMay('develop'), bill: useMay('bill') };
  const steps = stepIds.filter((id) => may[accessOf[id]]);
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

  const hidden = { state: 'hidden', steps, done: new Set<StepId>(), dismiss: hide } as const;
  if ([me, keys, usage, subscription].some(({ data, errorUpdateCount }) => data === undefined && errorUpdateCount > 0))
    return hidden;
  if (!me.data || !keys.data || !usage.data || subscription.data === undefined || dismissal.data === undefined)
    return { ...hidden, state: 'pending' };
  if (dismissal.data) return hidden;
  const hasSubscription = subscription.data !== null;
  const isDone = stepStates({ me: me.data, keys: keys.data, usage: usage.data, hasSubscription });
  const done = new Set(steps.filter((id) => isDone[id]));
  return { state: done.size < steps.length ? 'shown' : 'hidden', steps, done, dismiss: hide };
}

interface AccountState {
  readonly me: Pick<v.InferOutput<typeof CurrentUser>, 'isConfirmed'>;
  readonly keys: readonly KeyRecord[];
  readonly usage: Pick<v.InferOutput<typeof Usage>, 'days'>;
  readonly hasSubscription: boolean;
}

const stepIds = ['confirm', 'key', 'call', 'plan'] as const;
export type StepId = (typeof stepIds)[number];

const accessOf = { confirm: 'read', key: 'develop', call: 'develop', plan: 'bill' } as const;

/** Whether each step is completed. Revoked keys and old calls count too, so that a completed step stays completed. */
function stepStates({ me, keys, usage, hasSubscription }: AccountState): Readonly<Record<StepId, boolean>> {
  return {
    confirm: me.isConfirmed,
    key: keys.some((key) => !isPlaygroundKey(key)),
    call: usage.days.length > 0 || keys.some(({ lastUsedAt }) => lastUsedAt !== null && lastUsedAt !== ''),
    plan: hasSubscription,
  };
}

/** Stores the ids of accounts that dismissed the panel in this browser. */
const storageName = 'first-steps-dismissed';
const maxAccounts = 20;
const Accounts = v.pipe(v.string(), v.parseJson(), v.array(v.number()));

function dismissedBy(): number[] {
  const stored = v.safeParse(Accounts, readStored('localStorage', storageName));
  return stored.success ? stored.output : [];
}

const isDismissed = (account: number): boolean => dismissedBy().includes(account);

function dismiss(account: number): void {
  const others = dismissedBy().filter((one) => one !== account);
  store('localStorage', storageName, JSON.stringify([...others, account].slice(-maxAccounts)));
}
