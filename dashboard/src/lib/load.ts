import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from 'react';
import { hashedAssets } from '#contract/dashboard-config.ts';
import { readStored, store } from './storage.ts';

export class CodeLoadError extends Error {
  constructor(cause: unknown) {
    super('The code of this page could not be loaded.', { cause });
    this.name = 'CodeLoadError';
  }
}

/** File name with a hash of the build. Differs after a deployment. */
const build = import.meta.url;

/**
 * Returns a loader that survives deployments, which delete the files of the old build: if the code cannot be loaded,
 * the page is reloaded, once per build and tab. Rejects with a CodeLoadError after that, or while the service is
 * unreachable.
 */
export const orReload =
  <Module>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch(reloadOnce);

async function reloadOnce(cause: unknown): Promise<never> {
  const mark = `reloaded ${build}`;
  const isFirst = readStored('sessionStorage', mark) === null;
  // Without a stored mark, the page could reload forever.
  if (!isFirst || !(await isServed()) || !store('sessionStorage', mark, new Date().toISOString()))
    throw new CodeLoadError(cause);
  window.location.reload();
  return new Promise(() => undefined);
}

/** Returns false while the service is unreachable: a reload would show the browser's error page. */
const isServed = (): Promise<boolean> =>
  fetch('/config.json', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

const leftMark = `left ${build}`;
const asset = new RegExp(`${hashedAssets}[\\w.-]+`, 'g');
/** Minimum time between two checks for a newer build. */
const betweenLooksMs = 60_000;

let [current, lookedAt] = [window.location.pathname, Date.now()];
let isNewerServed = false;

/**
 * Call with the path after each navigation. If a newer build is served, reloads the page, once per build and tab.
 * Between two pages there is no unsaved input, and data that survives navigation also survives a reload.
 */
export function followBuild(path: string): void {
  if (path === current) return;
  current = path;
  if (!isNewerServed) void lookForNewerBuild();
  else if (
    readStored('sessionStorage', leftMark) === null &&
    store('sessionStorage', leftMark, new Date().toISOString())
  )
    window.location.reload();
}

/** Checks for a newer build, at most once per minute. Also call when the page becomes visible. */
export async function lookForNewerBuild(): Promise<void> {
  const now = Date.now();
  if (isNewerServed || now - lookedAt < betweenLooksMs) return;
  lookedAt = now;
  isNewerServed = await isAnotherServed();
}

/**
 * Returns true if the served document of the dashboard loads files that this one did not load, and false if none is
 * served. Any page but `/` returns it without a session.
 */
async function isAnotherServed(): Promise<boolean> {
  const response = await fetch('/login', { cache: 'no-store', headers: { accept: 'text/html' } }).catch(
    () => undefined,
  );
  const served = response?.ok ? await response.text().catch(() => '') : '';
  const loaded = document.head.innerHTML;
  return [...served.matchAll(asset)].some(([file]) => !loaded.includes(file));
}

type Load<Props> = () => Promise<ComponentType<Props>>;

/** Returns a component whose code is loaded when it is first rendered. */
export const lazyComponent = <Props extends object>(load: Load<Props>) =>
  lazy(orReload(async () => ({ default: await load() })));

/** Returns a component whose code is loaded when it is first open. */
export function late<Props extends object>(
  load: Load<Props>,
  isOpen: (props: Props) => boolean,
): (props: Props) => ReactNode {
  const Loaded: ComponentType<Props> = lazyComponent(load);
  return function Late(props) {
    const [isUsed, setUsed] = useState(isOpen(props));
    if (isOpen(props) && !isUsed) setUsed(true);
    return isUsed && createElement(Suspense, { fallback: null }, createElement(Loaded, props));
  };
}

/** Returns a dialog whose code is loaded when it is first opened. */
export const lateDialog = <Props extends { readonly isOpen: boolean }>(load: Load<Props>) =>
  late(load, ({ isOpen }) => isOpen);
