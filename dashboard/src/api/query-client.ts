import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { lookForNewerBuild } from '../lib/load.ts';
import { documentAccount, endDocument, documentOrganization, listKey } from './account.ts';
import { ApiError } from './response.ts';

const maxRetries = 2;

/** Retries reads after transient errors. Changes are never retried. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: followUp }),
  mutationCache: new MutationCache({ onError: followUp }),
  defaultOptions: {
    // Changes fail immediately while offline. A paused change would run later, when the user no longer expects it.
    mutations: { networkMode: 'always' },
    queries: { staleTime: 15_000, retry: (count, error) => count < maxRetries && isTransient(error), retryDelay: 400 },
  },
});

function isTransient(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/**
 * Handles errors that concern the whole page: an ended session, an unconfirmed account, and a membership that may have
 * ended, changed its role, or now require two-step sign-in.
 */
export function followUp(error: Error): void {
  if (!(error instanceof ApiError)) return;
  if (error.code === 'INVALID_API_KEY') leaveForSignIn();
  if (error.code === 'ACCOUNT_NOT_CONFIRMED') checkAccount();
  if (documentOrganization() && (error.status === 404 || ofMembership.has(error.code)))
    void queryClient.refetchQueries({ queryKey: listKey }, { cancelRefetch: false });
}

const ofMembership: ReadonlySet<string> = new Set(['INSUFFICIENT_PERMISSIONS', 'SECOND_FACTOR_NOT_ENABLED']);

/** Redirects to the sign-in page, which returns to the current page. */
function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname === '/login') return;
  const query = new URLSearchParams({
    ...(pathname !== '/' && { return: pathname + search }),
    ...(documentAccount() !== undefined && { ended: '1' }),
  });
  void endDocument(query.size > 0 ? `/login?${query.toString()}` : '/login');
}

/** Checks whether the session still belongs to this document's account. */
export function checkAccount(): void {
  void queryClient.refetchQueries({ queryKey: [accountRoutes.me.id] }, { cancelRefetch: false });
}

/** Checks the session, and for a newer build, whenever the page becomes visible. */
export function watchReturn(): void {
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    checkAccount();
    void lookForNewerBuild();
  };
  window.addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
}
