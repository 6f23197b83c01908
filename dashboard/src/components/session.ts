import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { closeAccountStorage } from '../api/account-storage.ts';
import { becomeAccount, documentAccount, endDocument, reloadDocument } from '../api/account.ts';
import { useAction } from '../api/actions.ts';
import { perform } from '../api/call.ts';
import { toApiError } from '../api/response.ts';
import { notify } from './notifications.tsx';

/** Loaded on demand, to keep the sign-in page small. */
const revokePlaygroundKeys = async () => (await import('../api/keys.ts')).revokePlaygroundKeys();

/** Call after a sign-in. Also revokes playground keys that outlived an expired session. */
export async function beginSession({ id }: { readonly id: number }): Promise<void> {
  await becomeAccount(id);
  await revokePlaygroundKeys().catch(() => undefined);
}

/**
 * Ends the session, then this document, and opens the sign-in page. Throws an ApiError if the service did not end the
 * session.
 */
async function signOut(returnTo?: string): Promise<void> {
  await revokePlaygroundKeys().catch(() => undefined);
  await perform(signInRoutes.logout, {});
  closeAccountStorage();
  await endDocument(
    returnTo === undefined ? '/login' : `/login?${new URLSearchParams({ return: returnTo }).toString()}`,
  );
}

/**
 * Signs out. If that fails, a notification says that the user is still signed in. The sign-in page leads to `returnTo`.
 */
export function useSignOut(returnTo?: string): () => void {
  const { run } = useAction(() =>
    signOut(returnTo).catch((error: unknown) => {
      notify({ message: `${t`You are still signed in.`} ${toApiError(error).message}`, color: 'red' });
      throw error;
    }),
  );
  return () => void run(undefined);
}

/** Reloads if the document already belongs to an account, so that each session starts in a fresh document. */
export function useOwnDocument(): void {
  useEffect(() => {
    if (documentAccount() !== undefined) void reloadDocument();
  }, []);
}

/** Query parameter of the sign-in page at its second step. */
export const secondStep = 'second-step';

/** Returns a function that moves a refused sign-in to its second step, if it needs one, and otherwise throws. */
export function useSecondStep(): (error: unknown) => Promise<never> {
  const [, go] = useLocation();
  const search = useSearch();
  return async (error) => {
    if (toApiError(error).code !== 'SECOND_FACTOR_REQUIRED') throw error;
    go(`/login?${secondStep}&${search}`);
    return new Promise(() => undefined);
  };
}

/** Passkeys belong to a name, so they do not work at an IP address such as that of a local service. */
export const canUsePasskeys = (): boolean => /[a-z]/.test(window.location.hostname);

/** Returns the email address in the hash of an invitation's path, or an empty string. */
export const emailIn = (path: string): string => new URLSearchParams(path.split('#')[1]).get('email') ?? '';

/** Target page after sign-in: the page in `return` if it is one of ours, otherwise the overview. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  const [path = '/'] = wanted.split(/[?#]/, 1);
  return dashboardPages.some((page) => page === path) ? wanted : '/';
}
