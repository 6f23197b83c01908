import { existsSync } from 'node:fs';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Paths of an installed Chrome or Chromium, for systems that the packaged browser does not support. */
const installed = [
  process.env['CHROME_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

/** Permissions granted to every page, because a headless browser cannot prompt for them. */
const microphone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** Saves a tenth of the CPU time of a page that is loaded once. */
const interpreted = '--js-flags=--no-opt --no-maglev';

/** The browser of the npm package on Linux x64, unpacked on first use, otherwise an installed one. */
export async function browserPath(): Promise<string | undefined> {
  const isPackaged = process.platform === 'linux' && process.arch === 'x64';
  return isPackaged
    ? chromium.executablePath()
    : installed.find((candidate) => candidate !== undefined && existsSync(candidate));
}

/**
 * A headless browser hides scroll bars by default. `optimizes` runs scripts as in the browser of a user, for tests that
 * measure their CPU time.
 */
export async function launchBrowser({ hasScrollBars = false, optimizes = false } = {}): Promise<Browser> {
  const path = await browserPath();
  if (!path) throw new Error('The browser tests need an installed Chrome; CHROME_PATH may name it.');
  return playwright.launch({
    executablePath: path,
    args: ['--no-sandbox', ...microphone, ...(optimizes ? [] : [interpreted])],
    ignoreDefaultArgs: hasScrollBars ? ['--hide-scrollbars'] : [],
  });
}
