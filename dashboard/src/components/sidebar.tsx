import { UnstyledButton } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { AccountMenu } from './account-menu.tsx';
import { CreditsLeft } from './credits-left.tsx';
import { Icon } from './icon.tsx';
import { referenceLink, usePageLinks } from './page-links.ts';
import { paletteKeys } from './palette/use-palette.tsx';
import { SchemeToggle } from './scheme-toggle.tsx';
import css from './sidebar.module.css';

interface SidebarProps {
  /** Opens the command palette. */
  readonly onSearch: () => void;
}

export function Sidebar({ onSearch }: SidebarProps) {
  const [location] = useLocation();
  const links = usePageLinks();
  return (
    <div className={css.sidebar}>
      <nav className={css.nav} aria-label="Pages">
        <UnstyledButton className={css.search} aria-haspopup="dialog" onClick={onSearch}>
          <Icon name="search" />
          Search
          <kbd>{paletteKeys}</kbd>
        </UnstyledButton>
        <ul>
          {links.map(({ href, label, icon }) => (
            <li key={href}>
              <Link href={href} className={css.link} aria-current={href === location ? 'page' : undefined}>
                <Icon name={icon} />
                {label}
              </Link>
            </li>
          ))}
          <li>
            <a className={css.link} href={referenceLink.href}>
              <Icon name={referenceLink.icon} />
              {referenceLink.label}
            </a>
          </li>
        </ul>
      </nav>
      <div className={css.foot}>
        <CreditsLeft />
        <div className={css.person}>
          <AccountMenu />
          <SchemeToggle />
        </div>
      </div>
    </div>
  );
}
