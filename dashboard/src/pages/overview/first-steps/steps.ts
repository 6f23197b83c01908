import type { InferOutput } from 'valibot';
import type { CurrentUser } from '#contract/accounts/accounts.ts';
import type { Usage } from '#contract/billing/credits.ts';
import type { KeyRecord } from '../../../api/keys/key-list.ts';
import { isPlaygroundKey } from '../../../api/keys/playground-keys.ts';

interface AccountState {
  readonly me: Pick<InferOutput<typeof CurrentUser>, 'isConfirmed'>;
  readonly keys: readonly KeyRecord[];
  readonly usage: Pick<InferOutput<typeof Usage>, 'days'>;
  readonly hasSubscription: boolean;
}

export const stepIds = ['confirm', 'key', 'call', 'plan'] as const;
export type StepId = (typeof stepIds)[number];

/** Which steps are done. A key that was revoked counts, and so does a call of long ago: a step that is done stays so. */
export function doneSteps({ me, keys, usage, hasSubscription }: AccountState): ReadonlySet<StepId> {
  const isDone: Readonly<Record<StepId, boolean>> = {
    confirm: me.isConfirmed,
    key: keys.some((key) => !isPlaygroundKey(key)),
    call: usage.days.length > 0 || keys.some(({ lastUsedAt }) => lastUsedAt !== null && lastUsedAt !== ''),
    plan: hasSubscription,
  };
  return new Set(stepIds.filter((id) => isDone[id]));
}
