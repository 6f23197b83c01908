import { accountBusy } from '../shared/service-error.ts';
import type { BillingProfile, OrderStore, ProfileChange } from './order.ts';

const maxTries = 8;

/** Maximum ended subscriptions recorded in a profile. */
const maxEnded = 8;

/** Repeats a change of the profile after conflicts. `change` returns undefined to leave the profile unchanged. */
export async function changeProfile(
  store: Pick<OrderStore, 'profile' | 'saveProfile'>,
  accountId: number,
  change: (profile: BillingProfile) => ProfileChange | undefined | Promise<ProfileChange | undefined>,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const profile = await store.profile(accountId);
    const changed = await change(profile);
    if (!changed || (await store.saveProfile(profile, changed))) return;
  }
  throw accountBusy();
}

/** Records the end of a subscription, so that it does not cancel a plan. */
export const withEnded = ({ ended = [] }: BillingProfile, id: string): ProfileChange => ({
  ended: [...ended.filter((one) => one !== id), id].slice(-maxEnded),
});
