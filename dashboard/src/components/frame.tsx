import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import {
  Burger,
  Button,
  Progress,
  Skeleton,
  Text,
  UnstyledButton,
  type UnstyledButtonProps,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  type ComponentProps,
  type ComponentPropsWithRef,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useRef,
} from 'react';
import { Link, useLocation } from 'wouter';
import { offer } from '#contract/offer/current-offer.ts';
import { takeAccountChange, documentOrganization } from '../api/account.ts';
import { useSellsCredits } from '../api/config.ts';
import { takeLeaveReason, useMay, useOrganizations, useSharedOrganization } from '../api/organizations.ts';
import { checkAccount, queryClient } from '../api/query-client.ts';
import { useCredits, useMe, useMember } from '../api/reads.ts';
import { formatWhole, isUnlimited } from '../lib/format.ts';
import { followBuild, orReload } from '../lib/load.ts';
import { PageSkeleton } from './boundary.tsx';
import { ProductLinks, SchemeToggle, Wordmark } from './brand.tsx';
import css from './frame.module.css';
import { Icon } from './icon.tsx';
import { ErrorNotice } from './notice.tsx';
import { notify } from './notifications.tsx';
import { Confirmations, Drawer, LateMenu } from './overlays.tsx';
import { restrictedLink, type Session, usePageGroups } from './page-links.ts';
import { paletteKeys, usePalette } from './palette/use-palette.tsx';

/** Loaded only for members of shared organizations. */
const OrganizationSwitch = lazy(orReload(() => import('./organization-switch.tsx')));
const LockedPage = lazy(orReload(() => import('./locked-page.tsx')));
const RefusedPage = lazy(orReload(() => import('./roles.tsx')));
const AcceptTerms = lazy(orReload(() => import('./accept-terms.tsx')));

/** The frame of every page except the sign-in pages, with the dialogs that pages share. */
export default function Frame(props: ComponentProps<typeof Shell>) {
  return (
    <>
      <Shell {...props} />
      <Confirmations />
    </>
  );
}

interface ShellProps {
  /** True for a page that needs no session. Other pages redirect to the sign-in page without a session. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** The drawer's body fills the remaining height, so that the navigation scrolls within it. */
const column = { display: 'flex', flexDirection: 'column' } as const;

export function Shell({ isOpen, children }: ShellProps) {
  const me = useMe({ enabled: !isOpen });
  const member = useMember({ enabled: isOpen });
  const user = me.data ?? (isOpen ? member.data : undefined);
  const email = user?.email;
  const session = isOpen ? sessionOf(user, member.isPending) : 'member';
  const organizations = useOrganizations({ enabled: Boolean(user) });
  const isMembershipKnown = isOpen || !documentOrganization() || organizations.data !== undefined;
  const error = me.data ? organizations.error : me.error;
  const isReady = isOpen || (me.data !== undefined && isMembershipKnown);
  const terms = isOpen ? undefined : me.data?.terms;
  const asked = terms?.acceptedVersion === terms?.version ? undefined : terms;
  const [isMenuOpen, { toggle, close }] = useDisclosure(false);
  const palette = usePalette(session);
  const [location] = useLocation();
  useEffect(close, [close, location]);
  useEffect(checkAccount, [location]);
  useEffect(() => {
    // A reload would lose the response to a change in progress.
    if (queryClient.isMutating() === 0) followBuild(location);
  }, [location]);
  useEffect(() => {
    if (email !== undefined && takeAccountChange())
      notify({ message: t`You are now signed in as ${email}.`, autoClose: 15_000 });
  }, [email]);
  useEffect(() => {
    const reason = takeLeaveReason();
    if (reason !== null) notify({ message: reason, autoClose: 15_000 });
  }, []);

  /** Closes the drawer and opens the command palette. */
  function search(): void {
    close();
    palette.open();
  }

  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        <Trans>Skip to content</Trans>
      </a>
      <header className={css.bar}>
        <Home session={session} />
        <Burger
          opened={isMenuOpen}
          onClick={toggle}
          aria-label={t`Menu`}
          aria-expanded={isMenuOpen}
          aria-haspopup="dialog"
          size="sm"
        />
      </header>
      <aside className={css.side} aria-label={t`Navigation`}>
        <Home session={session} />
        <Sidebar session={session} onSearch={palette.open} />
      </aside>
      <Drawer
        opened={isMenuOpen}
        onClose={close}
        size={288}
        title={<Wordmark />}
        styles={{ content: column, body: { ...column, flex: 1, minHeight: 0 } }}
      >
        <Sidebar session={session} onSearch={search} />
      </Drawer>
      <main id="content" className={css.main} tabIndex={-1}>
        {asked && (
          <Suspense fallback={<PageSkeleton />}>
            <AcceptTerms terms={asked} />
          </Suspense>
        )}
        {isReady && !asked && <AdmittedPage isOpen={isOpen}>{children}</AdmittedPage>}
        {!isReady && !error && <PageSkeleton />}
        {!isReady && error && (
          <ErrorNotice error={error} onRetry={() => void (me.data ? organizations : me).refetch()} />
        )}
        <div className={css.links}>
          <ProductLinks />
        </div>
      </main>
      {palette.palette}
    </div>
  );
}

/** Pages that remain available if the organization refuses the session. */
const personalPages = new Set(['/organization', '/settings', '/operator']);

/** Shows the reason in place of a page that the organization or the member's role does not permit. */
function AdmittedPage({ isOpen, children }: ShellProps) {
  const [location] = useLocation();
  const isStrict = useSharedOrganization()?.requiresSecondFactor === true;
  const { data: me } = useMe({ enabled: isStrict });
  const page = <RolePage>{children}</RolePage>;
  if (isOpen || !isStrict || me?.hasSecondFactor !== false || personalPages.has(location)) return page;
  return (
    <Suspense fallback={<PageSkeleton />}>
      <LockedPage>{page}</LockedPage>
    </Suspense>
  );
}

function RolePage({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const link = restrictedLink(location);
  if (useMay(link?.access ?? 'read') || !link) return children;
  return (
    <Suspense fallback={<PageSkeleton />}>
      <RefusedPage {...link} />
    </Suspense>
  );
}

/** Without a session, `/` is the front page, which is another document. */
function Home({ session }: { session: Session }) {
  const isGuest = session === 'guest';
  const product = offer.product.name;
  const name = isGuest ? t`${product}, front page` : t`${product}, overview`;
  const Anchor = isGuest ? 'a' : Link;
  return (
    <Anchor href="/" className={css.brand} aria-label={name}>
      <Wordmark />
    </Anchor>
  );
}

function sessionOf(user: object | null | undefined, isPending: boolean): Session {
  if (user) return 'member';
  return isPending ? 'unknown' : 'guest';
}

interface SidebarProps {
  readonly session: Session;
  readonly onSearch: () => void;
}

function Sidebar({ session, onSearch }: SidebarProps) {
  return (
    <div className={css.sidebar}>
      {session === 'member' && <Organizations />}
      {session !== 'unknown' && <Navigation session={session} onSearch={onSearch} />}
      <div className={css.foot}>
        {session === 'member' && <CreditsLeft />}
        <div className={css.person}>
          {session === 'member' && <AccountMenu />}
          {session === 'guest' && (
            <Button component={Link} href="/login" variant="default" style={{ flex: 1 }}>
              <Trans>Sign in</Trans>
            </Button>
          )}
          {session !== 'unknown' && <SchemeToggle />}
        </div>
      </div>
    </div>
  );
}

/** Hidden for people with only a personal organization. */
function Organizations() {
  const { data: organizations = [] } = useOrganizations();
  if (organizations.length < 2 && !documentOrganization()) return null;
  return (
    <Suspense fallback={<Skeleton height={54} mb="sm" radius="md" />}>
      <OrganizationSwitch />
    </Suspense>
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
        {t`Search`}
        <kbd>{paletteKeys}</kbd>
      </UnstyledButton>
      <nav ref={pages} className={css.nav} aria-label={t`Pages`}>
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

const Amount = ({ children }: { children?: ReactNode }) => (
  <Text component="span" inherit fw={650} className="number">
    {children}
  </Text>
);
const Unit = ({ children }: { children?: ReactNode }) => (
  <Text component="span" inherit c="dimmed">
    {children}
  </Text>
);

function CreditsLeft() {
  const { data, error } = useCredits();
  const sellsCredits = useSellsCredits();
  const mayBill = useMay('bill');
  if (!data) return error ? null : <Skeleton height={62} radius="md" />;
  const hasBuyLink = sellsCredits && mayBill && !isUnlimited(data.balance);
  const left = formatWhole(data.balance);
  const credits = Math.round(data.balance);
  const granted = data.lots.reduce((sum, lot) => sum + lot.granted, 0);
  const share = isUnlimited(data.balance) ? 100 : (100 * data.balance) / Math.max(granted, 1);
  return (
    <div className={css.credits}>
      <Link href="/" className={css.balance}>
        <span className={hasBuyLink ? css.besideBuy : undefined}>
          {isUnlimited(data.balance) ? (
            <Trans>
              <Amount>Unlimited</Amount> <Unit>credits left</Unit>
            </Trans>
          ) : (
            <Plural
              value={credits}
              one={
                <Trans>
                  <Amount>{left}</Amount> <Unit>credit left</Unit>
                </Trans>
              }
              other={
                <Trans>
                  <Amount>{left}</Amount> <Unit>credits left</Unit>
                </Trans>
              }
            />
          )}
        </span>
        <Progress value={share} size={5} aria-label={t`Share of credits left`} color={share < 10 ? 'red.6' : 'pine'} />
      </Link>
      {hasBuyLink && (
        <Link href="/billing" className={css.buy} aria-label={t`Buy credits`}>
          <Trans>Buy</Trans>
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
  const name = me?.name ?? '';
  return (
    <UnstyledButton {...props} className={css.account}>
      <span className={css.initial} aria-hidden="true">
        {(me?.name ?? ' ').slice(0, 1).toUpperCase()}
      </span>
      <span style={{ minWidth: 0 }}>
        <Trans>
          <VisuallyHidden>Account of</VisuallyHidden>
          <Text size="sm" fw={600} truncate dir="auto">
            {name}
          </Text>
        </Trans>
        <Text size="xs" c="dimmed" truncate dir="ltr">
          {me?.email}
        </Text>
      </span>
    </UnstyledButton>
  );
}
