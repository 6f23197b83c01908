import { signInRoutes } from '#contract/routes/sign-in.ts';
import { closeAccountStorage } from './account/account-storage.ts';
import { becomeAccount, endDocument } from './account/account.ts';
import { perform } from './call.ts';

/** Loaded when it is needed: the sign-in page is small. */
const revokePlaygroundKeys = async () => (await import('./keys/playground-keys.ts')).revokePlaygroundKeys();

/** To be called with the account that a sign-in gave. Keys of a session that expired are revoked now. */
export async function beginSession({ id }: { readonly id: number }): Promise<void> {
  await becomeAccount(id);
  await revokePlaygroundKeys().catch(() => undefined);
}

/** Ends the session at the service, then this document; throws an ApiError where the session could not be ended. */
export async function signOut(): Promise<void> {
  await revokePlaygroundKeys().catch(() => undefined);
  await perform(signInRoutes.logout, {});
  closeAccountStorage();
  await endDocument('/login');
}
