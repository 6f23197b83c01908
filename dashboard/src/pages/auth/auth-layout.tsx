import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { planListing } from '#contract/billing/plans.ts';
import { SchemeToggle } from '../../components/frame/scheme-toggle.tsx';
import { Wordmark } from '../../components/frame/wordmark.tsx';
import { useTitle } from '../../lib/hooks/use-title.ts';
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

const [freemium] = planListing;

/** What the service guarantees, with the headers of a free plan's first call as an example. */
function AboutService() {
  return (
    <aside className={css.about} aria-label="About the service">
      <p className={css.claim}>One API for chat, translation, speech and text analysis.</p>
      <dl className={css.receipt}>
        <div>
          <dt>POST</dt>
          <dd>/v1/chat/completions</dd>
        </div>
        <div>
          <dt>x-credits-charged</dt>
          <dd>1</dd>
        </div>
        <div>
          <dt>x-credits-remaining</dt>
          <dd>{freemium.quota_limit - 1}</dd>
        </div>
        <div>
          <dt>x-ratelimit-remaining-requests</dt>
          <dd>{freemium.rate_limit - 1}</dd>
        </div>
      </dl>
      <ul className={css.points}>
        <li>{freemium.quota_limit} free credits per month. No card required.</li>
        <li>Unused plan credits roll over for up to three months.</li>
        <li>Failed calls are free.</li>
      </ul>
    </aside>
  );
}
