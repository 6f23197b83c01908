import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import css from './docs-layout.module.css';

export interface DocsGroup {
  readonly title: string;
  readonly links: readonly { readonly href: string; readonly label: ReactNode }[];
}

interface DocsLayoutProps {
  /** What the list is of. */
  readonly label: string;
  readonly groups: readonly DocsGroup[];
  /** The link of this page. */
  readonly current: string;
  /** Above the list; what it shows in place of the list, where it finds something. */
  readonly search: ReactNode;
  readonly isSearching: boolean;
  readonly children: ReactNode;
}

/** A page of the documentation beside the list of all of its kind, which a phone shows on request. */
export function DocsLayout({ label, groups, current, search, isSearching, children }: DocsLayoutProps) {
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
      <article className={css.article}>{children}</article>
    </div>
  );
}
