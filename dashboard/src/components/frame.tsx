import { Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { offer } from '#contract/offer/current-offer.ts';
import { takeAccountChange } from '../api/account.ts';
import { checkAccount, queryClient } from '../api/query-client.ts';
import { useMe, useMember } from '../api/reads.ts';
import { followBuild, orReload } from '../lib/load.ts';
import { PageSkeleton } from './boundary.tsx';
import { ProductLinks, Wordmark } from './brand.tsx';
import { Confirmations, Drawer } from './dialogs.tsx';
import css from './frame.module.css';
import { ErrorNotice } from './notice.tsx';
import { notify } from './notifications.tsx';
import type { Session } from './page-links.ts';
import { usePalette } from './palette/use-palette.tsx';
import { Sidebar } from './sidebar.tsx';

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
      notify({ message: `You are now signed in as ${email}.`, autoClose: 15_000 });
  }, [email]);

  /** Closes the drawer and opens the command palette. */
  function search(): void {
    close();
    palette.open();
  }

  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        Skip to content
      </a>
      <header className={css.bar}>
        <Home session={session} />
        <Burger
          opened={isMenuOpen}
          onClick={toggle}
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-haspopup="dialog"
          size="sm"
        />
      </header>
      <aside className={css.side} aria-label="Navigation">
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
        {(isOpen || me.data) && !asked && children}
        {!isOpen && me.isPending && <PageSkeleton />}
        {!isOpen && me.error && !me.data && <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />}
        <div className={css.links}>
          <ProductLinks />
        </div>
      </main>
      {palette.palette}
    </div>
  );
}

/** Without a session, `/` is the front page, which is another document. */
function Home({ session }: { session: Session }) {
  const isGuest = session === 'guest';
  const name = `${offer.product.name}, ${isGuest ? 'front page' : 'overview'}`;
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
