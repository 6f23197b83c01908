import { hashedAssets } from '#contract/dashboard-config.ts';
import { readStored, store } from './storage.ts';

/** Its name carries a hash of the build. */
const build = import.meta.url;
const mark = `left ${build}`;
const asset = new RegExp(`${hashedAssets}[\\w.-]+`, 'g');
const betweenLooksMs = 60_000;

let [current, lookedAt] = [window.location.pathname, Date.now()];
let isNewerServed = false;

/**
 * To be called with the path after each navigation: where a newer build is served than this document's, the page is loaded
 * again, once for each build that a tab has seen. Between two pages nothing is half typed, and what a page keeps over
 * navigation it keeps over a reload.
 */
export function followBuild(path: string): void {
  if (path === current) return;
  current = path;
  if (!isNewerServed) void lookForNewerBuild();
  else if (readStored('sessionStorage', mark) === null && store('sessionStorage', mark, new Date().toISOString()))
    window.location.reload();
}

/** At most once a minute; to be called also when the page becomes visible again. */
export async function lookForNewerBuild(): Promise<void> {
  const now = Date.now();
  if (isNewerServed || now - lookedAt < betweenLooksMs) return;
  lookedAt = now;
  isNewerServed = await isAnotherServed();
}

/** Whether the document that is served now loads files which this one did not. False where none is served. */
async function isAnotherServed(): Promise<boolean> {
  const response = await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' } }).catch(() => undefined);
  const served = response?.ok ? await response.text().catch(() => '') : '';
  const loaded = document.head.innerHTML;
  return [...served.matchAll(asset)].some(([file]) => !loaded.includes(file));
}
