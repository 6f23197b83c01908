import type { Page } from 'playwright-core';
import { still } from './findings.ts';

export interface Smoothness {
  /** CPU milliseconds of the longest task on the page's main thread. Elapsed time would include other programs. */
  readonly maxTaskMs: number;
  /** The layout shift score: the sum of all shifts without recent input. */
  readonly shift: number;
  /** The moved elements with their old and new positions. */
  readonly moved: readonly string[];
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of CPU time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Sums the layout shifts since the start of the document. The browser itself buffers only the first 150. */
const observeShifts = `{
  const shown = { shift: 0, moved: [] };
  const place = ({ x, y, width, height }) => 'x ' + x + ' y ' + y + ' ' + width + ' × ' + height;
  const add = (entries) => {
    for (const { value, hadRecentInput, sources } of entries) {
      if (hadRecentInput) continue;
      shown.shift += value;
      for (const { node, previousRect: from, currentRect: to } of sources)
        shown.moved.push((node?.outerHTML ?? node?.textContent ?? '').slice(0, 120) + ' from ' + place(from) + ' to ' + place(to));
    }
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.layoutShift = () => {
    add(observer.takeRecords());
    return shown;
  };
}`;

/**
 * Watches one page of the browser: its tasks from now on, including navigations, and the layout shifts of its last
 * document.
 */
export async function watchSmoothness(page: Page): Promise<() => Promise<Smoothness>> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page is of no browser that can be traced.');
  await page.addInitScript(observeShifts);
  await page.evaluate(observeShifts);
  // A test that failed earlier may have left a trace running.
  await browser.stopTracing().catch(() => undefined);
  await browser.startTracing(undefined, { categories: ['toplevel'] });
  return async () => {
    const maxTaskMs = maxTaskMsOf(await browser.stopTracing());
    await still(page);
    return { maxTaskMs, ...(await page.evaluate<Omit<Smoothness, 'maxTaskMs'>>('layoutShift()')) };
  };
}

function maxTaskMsOf(trace: Buffer): number {
  const { traceEvents: events }: { traceEvents: readonly TraceEvent[] } = JSON.parse(trace.toString());
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && mains.has(threadOf(event)));
  // An unrelated trace must not pass for a smooth page.
  if (tasks.length === 0) throw new Error('The trace has no task of a page.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
