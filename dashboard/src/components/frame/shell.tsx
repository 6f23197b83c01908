import { Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { takeAccountChange } from '../../api/account/account.ts';
import { checkAccount, queryClient } from '../../api/query-client.ts';
import { useMe, useMember } from '../../api/reads.ts';
import { followBuild } from '../../lib/newer-build.ts';
import { ErrorNotice } from '../feedback/error-notice.tsx';
import { notify } from '../feedback/notifications.tsx';
import { PageSkeleton } from '../feedback/page-skeleton.tsx';
import { Drawer } from '../overlays/drawer.tsx';
import type { Session } from '../page-links.ts';
import { usePalette } from '../palette/use-palette.tsx';
import css from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { Wordmark } from './wordmark.tsx';

interface ShellProps {
  /** True for a page that is open to everybody. Without a session, the first response of any other leads to the sign-in page. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** The drawer's body fills the remaining height, so that the navigation scrolls within it. */
const column = { display: 'flex', flexDirection: 'column' } as const;

/** The frame of every page but those to sign in. */
export function Shell({ isOpen, children }: ShellProps) {
  const me = useMe({ enabled: !isOpen });
  const member = useMember({ enabled: isOpen });
  const user = me.data ?? (isOpen ? member.data : undefined);
  const email = user?.email;
  const session = isOpen ? sessionOf(user, member.isPending) : 'member';
  const [isMenuOpen, { toggle, close }] = useDisclosure(false);
  const palette = usePalette(session);
  const [location] = useLocation();
  useEffect(close, [close, location]);
  useEffect(checkAccount, [location]);
  useEffect(() => {
    // Not while a change is under way, whose response would be lost.
    if (queryClient.isMutating() === 0) followBuild(location);
  }, [location]);
  useEffect(() => {
    if (email !== undefined && takeAccountChange())
      notify({ message: `You are now signed in as ${email}.`, autoClose: 15_000 });
  }, [email]);

  /** From the drawer, which gives way. */
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
        <Link href="/" className={css.brand} aria-label="Text AI platform, overview">
          <Wordmark />
        </Link>
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
        <Link href="/" className={css.brand} aria-label="Text AI platform, overview">
          <Wordmark />
        </Link>
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
        {(isOpen || me.data) && children}
        {!isOpen && me.isPending && <PageSkeleton />}
        {!isOpen && me.error && !me.data && <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />}
      </main>
      {palette.palette}
    </div>
  );
}

function sessionOf(user: object | null | undefined, isPending: boolean): Session {
  if (user) return 'member';
  return isPending ? 'unknown' : 'guest';
}
