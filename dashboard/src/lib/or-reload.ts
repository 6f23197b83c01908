import { readStored, store } from './storage.ts';

/** The code of a part of the dashboard could not be loaded. */
export class CodeLoadError extends Error {
  constructor(cause: unknown) {
    super('Code of this page could not be loaded.', { cause });
    this.name = 'CodeLoadError';
  }
}

/** Its name carries a hash of the build, so this is another one after a deployment. */
const build = import.meta.url;

/**
 * A loader of code that outlives a deployment, which takes the old files away: the page is reloaded, once for each
 * build that a tab has seen. Rejects with a CodeLoadError where that was done, or would lead nowhere.
 */
export const orReload =
  <Module>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch(reloadOnce);

async function reloadOnce(cause: unknown): Promise<never> {
  const mark = `reloaded ${build}`;
  const isFirst = readStored('sessionStorage', mark) === null;
  // Without the mark there could be no end to it.
  if (!isFirst || !(await isServed()) || !store('sessionStorage', mark, new Date().toISOString()))
    throw new CodeLoadError(cause);
  window.location.reload();
  return new Promise(() => undefined);
}

/** False while the service is away: a reload would leave the browser's own error page. */
const isServed = (): Promise<boolean> =>
  fetch('/config.json', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
