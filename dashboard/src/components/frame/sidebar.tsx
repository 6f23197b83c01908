import { Button, UnstyledButton } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { AccountMenu } from '../account/account-menu.tsx';
import { Icon } from '../elements/icon.tsx';
import { type Session, usePageGroups } from '../page-links.ts';
import { paletteKeys } from '../palette/use-palette.tsx';
import { CreditsLeft } from './credits-left.tsx';
import { SchemeToggle } from './scheme-toggle.tsx';
import css from './sidebar.module.css';

interface SidebarProps {
  readonly session: Session;
  /** Opens the command palette. */
  readonly onSearch: () => void;
}

export function Sidebar({ session, onSearch }: SidebarProps) {
  return (
    <div className={css.sidebar}>
      {session !== 'unknown' && <Navigation session={session} onSearch={onSearch} />}
      <div className={css.foot}>
        {session === 'member' && <CreditsLeft />}
        <div className={css.person}>
          {session === 'member' && <AccountMenu />}
          {session === 'guest' && (
            <Button component={Link} href="/login" variant="default" style={{ flex: 1 }}>
              Sign in
            </Button>
          )}
          {session !== 'unknown' && <SchemeToggle />}
        </div>
      </div>
    </div>
  );
}

function Navigation({ session, onSearch }: SidebarProps) {
  const [location] = useLocation();
  const groups = usePageGroups(session);
  const pages = useRef<HTMLElement>(null);
  const titleId = useId();
  const isCurrent = (href: string) => href === location || (href === '/guides' && location.startsWith('/guides/'));
  useEffect(() => {
    // A low window cannot show all pages. `scrollIntoView` would also move the starting point of Tab navigation.
    const link = pages.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (pages.current && link) pages.current.scrollTop = link.offsetTop - pages.current.clientHeight / 2;
  }, [location]);
  return (
    <>
      <UnstyledButton className={css.search} aria-haspopup="dialog" onClick={onSearch}>
        <Icon name="search" />
        Search
        <kbd>{paletteKeys}</kbd>
      </UnstyledButton>
      <nav ref={pages} className={css.nav} aria-label="Pages">
        {groups.map(({ title, links }) => (
          <div key={title ?? ''}>
            {title !== undefined && (
              <p id={`${titleId}-${title}`} className={css.group}>
                {title}
              </p>
            )}
            <ul aria-labelledby={title && `${titleId}-${title}`}>
              {links.map(({ href, label, icon }) => (
                <li key={href}>
                  <Link href={href} className={css.link} aria-current={isCurrent(href) ? 'page' : undefined}>
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </>
  );
}
