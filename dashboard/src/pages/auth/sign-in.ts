import { useEffect } from 'react';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { documentAccount, reloadDocument } from '../../api/account.ts';

/** Reloads if the document already belongs to an account, so that each session starts in a fresh document. */
export function useOwnDocument(): void {
  useEffect(() => {
    if (documentAccount() !== undefined) void reloadDocument();
  }, []);
}

/** Target page after sign-in: the page in `return` if it is one of ours, otherwise the overview. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  const [path = '/'] = wanted.split(/[?#]/, 1);
  return dashboardPages.some((page) => page === path) ? wanted : '/';
}
