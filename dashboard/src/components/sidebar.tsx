import {
  Button,
  Progress,
  Skeleton,
  Text,
  UnstyledButton,
  type UnstyledButtonProps,
  VisuallyHidden,
} from '@mantine/core';
import { type ComponentPropsWithRef, lazy, useEffect, useId, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useSellsCredits } from '../api/config.ts';
import { useCredits, useMe } from '../api/reads.ts';
import { formatWhole, isUnlimited } from '../lib/format.ts';
import { orReload } from '../lib/load.ts';
import { SchemeToggle } from './brand.tsx';
import { Icon } from './icon.tsx';
import { LateMenu } from './menus.tsx';
import { type Session, usePageGroups } from './page-links.ts';
import { paletteKeys } from './palette/use-palette.tsx';
import css from './sidebar.module.css';

interface SidebarProps {
  readonly session: Session;
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

function CreditsLeft() {
  const { data } = useCredits();
  const sellsCredits = useSellsCredits();
  if (!data) return <Skeleton height={62} radius="md" />;
  const hasBuyLink = sellsCredits && !isUnlimited(data.balance);
  const granted = data.lots.reduce((sum, lot) => sum + lot.granted, 0);
  const share = isUnlimited(data.balance) ? 100 : (100 * data.balance) / Math.max(granted, 1);
  return (
    <div className={css.credits}>
      <Link href="/" className={css.balance}>
        <span className={hasBuyLink ? css.besideBuy : undefined}>
          <Text component="span" inherit fw={650} className="number">
            {formatWhole(data.balance)}
          </Text>{' '}
          <Text component="span" inherit c="dimmed">
            {formatWhole(data.balance) === '1' ? 'credit left' : 'credits left'}
          </Text>
        </span>
        <Progress value={share} size={5} aria-label="Share of credits left" color={share < 10 ? 'red.6' : 'pine'} />
      </Link>
      {hasBuyLink && (
        <Link href="/billing" className={css.buy} aria-label="Buy credits">
          Buy
        </Link>
      )}
    </div>
  );
}

const load = orReload(() => import('./account-popup.tsx'));
const AccountPopup = lazy(load);

function AccountMenu() {
  return (
    <LateMenu
      load={load}
      button={(props) => <AccountButton {...props} />}
      menu={(props) => <AccountPopup {...props} button={<AccountButton autoFocus />} />}
    />
  );
}

/** Shows the signed-in user and opens the account menu. */
function AccountButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const { data: me } = useMe();
  return (
    <UnstyledButton {...props} className={css.account}>
      <span className={css.initial} aria-hidden="true">
        {(me?.name ?? ' ').slice(0, 1).toUpperCase()}
      </span>
      <span style={{ minWidth: 0 }}>
        <VisuallyHidden>Account of</VisuallyHidden>
        <Text size="sm" fw={600} truncate dir="auto">
          {me?.name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {me?.email}
        </Text>
      </span>
    </UnstyledButton>
  );
}
