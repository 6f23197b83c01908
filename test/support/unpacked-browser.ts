import { browserPath } from './browser.ts';

/** Unpacks the browser before any file needs it: several that do so concurrently execute what another is still writing. */
export default async function setup(): Promise<void> {
  await browserPath();
}
