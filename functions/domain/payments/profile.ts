import { accountBusy } from '../shared/service-error.ts';
import type { BillingProfile, OrderStore, ProfileChange } from './order.ts';

const maxTries = 8;

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
