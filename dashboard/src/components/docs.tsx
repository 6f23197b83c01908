import { useDisclosure } from '@mantine/hooks';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import * as v from 'valibot';
import { Link } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';
import { recall, remember } from '../api/account-storage.ts';
import { documentOwner } from '../api/account.ts';
import { orReload } from '../lib/load.ts';
import { PageSkeleton } from './boundary.tsx';
import css from './docs.module.css';

interface DocsGroup {
  readonly title: string;
  readonly links: readonly { readonly href: string; readonly label: ReactNode }[];
}

interface DocsLayoutProps {
  /** Label of the list. */
  readonly label: string;
  readonly groups: readonly DocsGroup[];
  /** Link of the open document. */
  readonly current: string;
  /** A search field above the list, with its results. */
  readonly search: ReactNode;
  /** True while search results replace the list. */
  readonly isSearching: boolean;
  readonly view: ComponentType | undefined;
  /** Shown if no document is open. */
  readonly children: ReactNode;
}

/** A document next to the list of all documents. On a phone, a button opens the list. */
export function DocsLayout({ label, groups, current, search, isSearching, view: View, children }: DocsLayoutProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useEffect(close, [close, current]);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const link = menu.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (menu.current && link) menu.current.scrollTop = link.offsetTop - menu.current.clientHeight / 2;
  }, []);
  return (
    <div className={css.layout}>
      <div className={css.side}>
        <button type="button" className={css.toggle} aria-expanded={isOpen} onClick={toggle}>
          {label}
        </button>
        <div ref={menu} className={css.menu} data-open={isOpen}>
          {search}
          {!isSearching && (
            <nav aria-label={label}>
              {groups
                .filter(({ links }) => links.length > 0)
                .map(({ title, links }) => (
                  <section key={title} aria-label={title}>
                    <p className={css.group}>{title}</p>
                    <ul>
                      {links.map(({ href, label: text }) => (
                        <li key={href}>
                          <Link href={href} className={css.link} aria-current={href === current ? 'page' : undefined}>
                            {text}
                          </Link>
                        </li>
                      ))}
                    </ul>
                  </section>
                ))}
            </nav>
          )}
        </div>
      </div>
      <article className={css.article}>
        {View ? (
          <Suspense key={current} fallback={<PageSkeleton />}>
            <View />
          </Suspense>
        ) : (
          children
        )}
      </article>
    </div>
  );
}

type Loaders<Content> = Readonly<Record<string, (() => Promise<{ readonly default: Content }>) | undefined>>;

/** Returns a component for each document, by id. Its content is loaded when it is first shown. */
export const lazyViews = <Content,>(
  load: Loaders<Content>,
  render: (content: Content, id: string) => ReactNode,
): ReadonlyMap<string, ComponentType> =>
  new Map(
    Object.entries(load).flatMap(([id, loadContent]) => {
      if (!loadContent) return [];
      const loadView = async () => {
        const { default: content } = await orReload(loadContent)();
        return { default: () => render(content, id) };
      };
      return [[id, lazy(loadView)]];
    }),
  );

/** Returns the decoded hash of the URL without its `#`, or an empty string. */
export const useHash = (): string =>
  useLocationProperty(
    () => decoded(window.location.hash.slice(1)),
    () => '',
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/**
 * An API key entered in this tab, or an empty string. The tab keeps it until it is closed or the session changes.
 * `account` is the id of the signed-in account, 0 without a session, and undefined until the service has responded. The
 * two slots are separate: a key entered to try operations does not fill the examples, and vice versa.
 */
export function useTabKey(
  account: number | undefined,
  slot: 'entered' | 'example',
): readonly [string, (key: string) => void] {
  const [entered, setEntered] = useState<string>();
  /** Entered before `account` was known. */
  const [early, setEarly] = useState<string>();
  const owner = account === undefined || account === 0 ? account : documentOwner();
  const kept = owner === undefined ? undefined : recall(owner, v.string(), slot);
  useEffect(() => {
    if (owner === undefined || early === undefined) return;
    remember(owner, early, slot);
    setEarly(undefined);
  }, [owner, early, slot]);
  function change(key: string): void {
    setEntered(key);
    if (owner === undefined) setEarly(key);
    else remember(owner, key, slot);
  }
  return [entered ?? kept ?? '', change];
}
