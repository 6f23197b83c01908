import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { is } from 'valibot';
import { navigate } from 'wouter/use-browser-location';
import { CurrentUser } from '#contract/accounts.ts';
import { routes } from '#contract/routes.ts';
import { ApiError } from './api-error.ts';
import { confirmationKey, unconfirmed } from './confirmation.ts';

const mostRetries = 2;

/** Reads are tried again where that may help; nothing that changes something is. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: followUp }),
  mutationCache: new MutationCache({ onError: followUp }),
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (count, error) => count < mostRetries && mayPass(error), retryDelay: 400 },
  },
});

function mayPass(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/** What a refusal means for the whole page, wherever it came. */
export function followUp(error: Error): void {
  if (!(error instanceof ApiError)) return;
  if (error.code === 'INVALID_API_KEY') leaveForSignIn();
  if (error.code === 'ACCOUNT_NOT_CONFIRMED') noteUnconfirmed();
}

/** A session that is over is the same everywhere: sign in, then back to where one was. */
function leaveForSignIn(): void {
  const hadSession = knownUser() !== undefined;
  queryClient.clear();
  const { pathname, search } = window.location;
  if (pathname === '/login') return;
  const query = new URLSearchParams({
    ...(pathname !== '/' && { return: pathname + search }),
    ...(hadSession && { ended: '1' }),
  });
  navigate(query.size > 0 ? `/login?${query.toString()}` : '/login', { replace: true });
}

function noteUnconfirmed(): void {
  const user = knownUser();
  if (!user) return;
  unconfirmed.add(user.id);
  void queryClient.invalidateQueries({ queryKey: [confirmationKey] });
}

function knownUser() {
  const known = queryClient.getQueryData([routes.me.id, {}]);
  return is(CurrentUser, known) ? known : undefined;
}
