import { browserPath } from './browser.ts';

/** Unpacks the browser before any test file needs it, because concurrent unpacking would execute partial files. */
export default async function setup(): Promise<void> {
  await browserPath();
}
