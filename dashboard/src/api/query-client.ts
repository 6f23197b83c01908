import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { lookForNewerBuild } from '../lib/newer-build.ts';
import { documentAccount, endDocument } from './account/account.ts';
import { ApiError } from './http/api-error.ts';

const maxRetries = 2;

/** Reads are tried again where that may help; nothing that changes something is. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: followUp }),
  mutationCache: new MutationCache({ onError: followUp }),
  defaultOptions: {
    // Offline it fails immediately: held back, it would be done when nobody expects it.
    mutations: { networkMode: 'always' },
    queries: { staleTime: 15_000, retry: (count, error) => count < maxRetries && isTransient(error), retryDelay: 400 },
  },
});

function isTransient(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/** What a refusal means for the whole page, wherever it came. */
export function followUp(error: Error): void {
  if (!(error instanceof ApiError)) return;
  if (error.code === 'INVALID_API_KEY') leaveForSignIn();
  if (error.code === 'ACCOUNT_NOT_CONFIRMED') checkAccount();
}

/** An ended session leads to the sign-in page, and from there back to the current page. */
function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname === '/login') return;
  const query = new URLSearchParams({
    ...(pathname !== '/' && { return: pathname + search }),
    ...(documentAccount() !== undefined && { ended: '1' }),
  });
  void endDocument(query.size > 0 ? `/login?${query.toString()}` : '/login');
}

/** Checks the account of the session: the cookie may have become another account's. */
export function checkAccount(): void {
  void queryClient.refetchQueries({ queryKey: [accountRoutes.me.id] }, { cancelRefetch: false });
}

/** Checks the session, and whether a newer page is there, whenever this one becomes visible again. */
export function watchReturn(): void {
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    checkAccount();
    void lookForNewerBuild();
  };
  window.addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
}
