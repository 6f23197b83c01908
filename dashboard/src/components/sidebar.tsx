import { Link, useLocation } from 'wouter';
import { AccountMenu } from './account-menu.tsx';
import { CreditsLeft } from './credits-left.tsx';
import { Icon, type IconName } from './icon.tsx';
import { SchemeToggle } from './scheme-toggle.tsx';
import css from './sidebar.module.css';

const links: readonly { href: string; label: string; icon: IconName }[] = [
  { href: '/', label: 'Overview', icon: 'overview' },
  { href: '/keys', label: 'API keys', icon: 'keys' },
  { href: '/playground', label: 'Playground', icon: 'playground' },
  { href: '/usage', label: 'Usage', icon: 'usage' },
  { href: '/logs', label: 'Logs', icon: 'logs' },
  { href: '/plans', label: 'Plans', icon: 'plans' },
  { href: '/settings', label: 'Settings', icon: 'settings' },
];

export function Sidebar() {
  const [location] = useLocation();
  return (
    <div className={css.sidebar}>
      <nav className={css.nav} aria-label="Pages">
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
            <a className={css.link} href="/docs">
              <Icon name="docs" />
              API reference
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
