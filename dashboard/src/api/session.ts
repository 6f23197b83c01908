import { signInRoutes } from '#contract/routes/sign-in.ts';
import { closeAccountStorage } from './account-storage.ts';
import { becomeAccount, endDocument } from './account.ts';
import { perform } from './call.ts';

/** Loaded on demand, to keep the sign-in page small. */
const revokePlaygroundKeys = async () => (await import('./keys.ts')).revokePlaygroundKeys();

/** Call after a sign-in. Also revokes playground keys that outlived an expired session. */
export async function beginSession({ id }: { readonly id: number }): Promise<void> {
  await becomeAccount(id);
  await revokePlaygroundKeys().catch(() => undefined);
}

/** Ends the session, then this document. Throws an ApiError if the service did not end the session. */
export async function signOut(): Promise<void> {
  await revokePlaygroundKeys().catch(() => undefined);
  await perform(signInRoutes.logout, {});
  closeAccountStorage();
  await endDocument('/login');
}
