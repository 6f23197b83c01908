import type { Page } from 'playwright-core';
import { still } from './findings.ts';

export interface Smoothness {
  /**
   * Of the longest task of a page's main thread: milliseconds of the processor, as those of the clock count what other
   * programs of the machine took meanwhile.
   */
  readonly maxTaskMs: number;
  /** The layout shift score: the sum of all shifts that no input came before. */
  readonly shift: number;
  /** What moved, and from where to where. */
  readonly moved: readonly string[];
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Adds up the shifts of a document from its beginning: of those that came before, the browser keeps 150. */
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

/** Watches one page of the browser: its tasks from now on, over navigations too, and the shifts of its last document. */
export async function watchSmoothness(page: Page): Promise<() => Promise<Smoothness>> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page is of no browser that can be traced.');
  await page.addInitScript(observeShifts);
  await page.evaluate(observeShifts);
  // Of a test that failed before it looked.
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
  // A trace of something else must not pass for a smooth page.
  if (tasks.length === 0) throw new Error('The trace has no task of a page.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
