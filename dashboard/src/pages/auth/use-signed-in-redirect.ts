import { useEffect } from 'react';
import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { clearTabMemory } from '../../api/account/tab-memory.ts';
import { ApiError } from '../../api/http/api-error.ts';
import { readResponse } from '../../api/http/response.ts';
import { send } from '../../api/http/send.ts';

/**
 * Redirects where there is a session already. The request bypasses `loadCurrentUser`, as a sign-in
 * page's document has no account yet.
 */
export function useSignedInRedirect(go: () => void): void {
  useEffect(() => {
    const control = new AbortController();
    async function look(): Promise<void> {
      try {
        await readResponse(accountRoutes.me, await send(accountRoutes.me, {}, { signal: control.signal }));
        if (!control.signal.aborted) go();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'INVALID_API_KEY') clearTabMemory();
      }
    }
    void look();
    return () => control.abort();
    // Once: `go` is another function at each render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
