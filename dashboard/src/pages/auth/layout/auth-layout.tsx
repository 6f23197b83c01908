import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { SchemeToggle } from '../../../components/frame/scheme-toggle.tsx';
import { Wordmark } from '../../../components/frame/wordmark.tsx';
import { useTitle } from '../../../lib/hooks/use-title.ts';
import { AboutService } from './about-service.tsx';
import css from './auth-layout.module.css';

interface AuthLayoutProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

/** A page of a signed-out user. */
export function AuthLayout({ title, lead, children, foot }: AuthLayoutProps) {
  const heading = useTitle(title);
  return (
    <div className={css.layout}>
      <main className={css.form}>
        <div className={css.top}>
          <Wordmark />
          <SchemeToggle />
        </div>
        <div className={css.middle}>
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          <Text c="dimmed" mt={6} mb="lg">
            {lead}
          </Text>
          {children}
        </div>
        <Text size="sm" c="dimmed" ta="center">
          {foot}
        </Text>
      </main>
      <AboutService />
    </div>
  );
}
