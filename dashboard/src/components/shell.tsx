import { Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { takeAccountChange } from '../api/account.ts';
import { checkAccount, queryClient } from '../api/query-client.ts';
import { useMe } from '../api/reads.ts';
import { followBuild } from '../lib/newer-build.ts';
import { Drawer } from './drawer.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { notify } from './notifications.tsx';
import { PageSkeleton } from './page-skeleton.tsx';
import { usePalette } from './palette/use-palette.tsx';
import css from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { Wordmark } from './wordmark.tsx';

/** The frame of every page of a signed-in user. Without a session, the first response leads to the sign-in page. */
export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const email = me.data?.email;
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const palette = usePalette();
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
          opened={isOpen}
          onClick={toggle}
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-haspopup="dialog"
          size="sm"
        />
      </header>
      <aside className={css.side} aria-label="Navigation">
        <Link href="/" className={css.brand} aria-label="Text AI platform, overview">
          <Wordmark />
        </Link>
        <Sidebar onSearch={palette.open} />
      </aside>
      <Drawer opened={isOpen} onClose={close} position="right" size={288} title={<Wordmark />}>
        <Sidebar onSearch={search} />
      </Drawer>
      <main id="content" className={css.main} tabIndex={-1}>
        {me.data && children}
        {me.isPending && <PageSkeleton />}
        {me.error && !me.data && <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />}
      </main>
      {palette.palette}
    </div>
  );
}
