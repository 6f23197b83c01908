import type { Page } from 'playwright-core';

/** Counts the loads of the page's document from now on. */
export function loadsOf(page: Page): { readonly count: number } {
  const loads = { count: 0 };
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.count += 1;
  });
  return loads;
}
