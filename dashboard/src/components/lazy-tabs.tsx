import { i18n, type MessageDescriptor } from '@lingui/core';
import { Tabs } from '@mantine/core';
import { type ComponentType, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useQueryChoice } from '../lib/hooks.ts';
import { lazyComponent } from '../lib/load.ts';

export const lazyTab = <Id extends string, Props extends object>(
  id: Id,
  title: MessageDescriptor,
  load: () => Promise<ComponentType<Props>>,
) => ({ id, title, View: lazyComponent(load) });

interface LazyTabsProps<Props extends object> {
  /** Names the list of tabs for screen readers. */
  readonly label: string;
  /** The first tab is the default. The URL's query contains the others. */
  readonly tabs: readonly ReturnType<typeof lazyTab<string, Props>>[];
  readonly view: Props;
  readonly fallback?: ReactNode;
}

/** Loads each tab on its first visit and keeps its state while another one is visible. */
export function LazyTabs<Props extends object>({ label, tabs, view, fallback = null }: LazyTabsProps<Props>) {
  const [first = '', ...others] = tabs.map(({ id }) => id);
  const [current, setCurrent] = useQueryChoice('tab', [first, ...others]);
  const [seen, setSeen] = useState<readonly string[]>([current]);
  if (!seen.includes(current)) setSeen([...seen, current]);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On phones, the tabs do not fit in one line.
    list.current?.querySelector(`[data-tab="${current}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    // React's activity mode would end the calls, uploads and recordings of a hidden tab.
    <Tabs value={current} onChange={setCurrent} keepMountedMode="display-none">
      <Tabs.List ref={list} mb="lg" aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id} data-tab={id}>
            {i18n._(title)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, View }) => (
        <Tabs.Panel key={id} value={id}>
          {seen.includes(id) && (
            <Suspense fallback={fallback}>
              <View {...view} />
            </Suspense>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
