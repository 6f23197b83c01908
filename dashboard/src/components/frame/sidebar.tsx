import { Button, UnstyledButton } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { AccountMenu } from '../account/account-menu.tsx';
import { Icon } from '../elements/icon.tsx';
import { type Session, usePageLinks } from '../page-links.ts';
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
      {/* What comes later moves nothing: until then there is nothing. */}
      {session === 'unknown' ? <div /> : <Navigation session={session} onSearch={onSearch} />}
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
  const links = usePageLinks(session);
  const isCurrent = (href: string) => href === location || (href === '/guides' && location.startsWith('/guides/'));
  return (
    <nav className={css.nav} aria-label="Pages">
      <UnstyledButton className={css.search} aria-haspopup="dialog" onClick={onSearch}>
        <Icon name="search" />
        Search pages
        <kbd>{paletteKeys}</kbd>
      </UnstyledButton>
      <ul>
        {links.map(({ href, label, icon }) => (
          <li key={href}>
            <Link href={href} className={css.link} aria-current={isCurrent(href) ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
