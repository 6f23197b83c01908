import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { callCost, microPerCredit } from '#contract/billing/prices.ts';
import { firstModelFor, modelNamed } from '#contract/inference/models.ts';
import { useConfig } from '../../api/config.ts';
import { ProductLinks, SchemeToggle, Wordmark } from '../../components/brand.tsx';
import { Icon } from '../../components/icon.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { emailIn } from '../../components/session.ts';
import { useTitle } from '../../lib/focus.ts';
import { formatCredits } from '../../lib/format.ts';
import { claim, freeCreditsText, freePlan } from '../../lib/offer.ts';
import css from './auth-layout.module.css';

interface AuthLayoutProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

export function AuthLayout({ title, lead, children, foot }: AuthLayoutProps) {
  const heading = useTitle(title);
  return (
    <div className={css.layout}>
      <main className={css.form}>
        <div className={css.top}>
          <a href="/" className={css.home}>
            <Wordmark />
          </a>
          <Group gap="xs" wrap="nowrap">
            <LanguageChoice size="xs" ms="xs" />
            <SchemeToggle />
          </Group>
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
        <div className={css.foot}>
          <Text size="sm" c="dimmed">
            {foot}
          </Text>
          <ProductLinks />
        </div>
      </main>
      <AboutService />
    </div>
  );
}

export function FootLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor component={Link} href={href} inherit fw={600}>
      {children}
    </Anchor>
  );
}

export const toOverview = (
  <FootLink href="/">
    <Trans>Overview</Trans>
  </FootLink>
);

const freeCredits = freePlan?.creditsPerMonth ?? 0;

/** Credits of a call with 1,000 input and 300 output tokens. */
function exampleCharge(): number {
  const model = modelNamed(firstModelFor('chat'));
  return model ? callCost(model, 'chat', { input: 1000, output: 300 }, Date.now()) / microPerCredit : 1;
}
const charged = exampleCharge();

/** Example headers of a free plan's first call. */
const receipt = () =>
  [
    ['POST', '/v1/chat/completions'],
    ['x-credits-charged', formatCredits(charged)],
    ['x-credits-remaining', formatCredits(Math.max(0, freeCredits - charged))],
    ['x-ratelimit-remaining-requests', Math.max(0, (freePlan?.callsPerMinute ?? 60) - 1)],
  ] as const;

/** Shows the guarantees of the service. */
function AboutService() {
  return (
    <aside className={css.about} aria-label={t`About the service`}>
      <p className={css.claim}>{claim()}</p>
      <dl className={css.receipt} dir="ltr">
        {receipt().map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ul className={css.points}>
        {freeCreditsText() && <li>{freeCreditsText()}</li>}
        <li>
          <Trans>Unused plan credits roll over for up to three months.</Trans>
        </li>
        <li>
          <Trans>Failed calls are free.</Trans>
        </li>
      </ul>
    </aside>
  );
}

/** Token from the link in an email, or an empty string. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  return token;
}

/** Returns the recipient's address from the link's hash, which browsers do not send, or an empty string. */
export function useLinkEmail(): string {
  const [email] = useState(() => emailIn(window.location.hash));
  return email;
}

/** Removes the token from the URL, so that the browser history does not keep it. */
export function forgetLinkToken(): void {
  window.history.replaceState(window.history.state, '', window.location.pathname);
}

/** Link to the inbox of the local service, which stores emails instead of sending them. */
export function InboxLink() {
  if (!useConfig().local) return null;
  return (
    <Button component="a" href="/_local/inbox" size="md" leftSection={<Icon name="mail" />}>
      <Trans>Open local inbox</Trans>
    </Button>
  );
}
