import { dashboardPages } from '#contract/dashboard-config.ts';

/** Where to go after signing in: a page of ours that the query names, else the overview. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  const [path = '/'] = wanted.split(/[?#]/, 1);
  return dashboardPages.some((page) => page === path) ? wanted : '/';
}
