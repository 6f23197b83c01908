import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Group, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { offer } from '#contract/offer/current-offer.ts';
import css from './brand.module.css';
import { Icon, Tip } from './icon.tsx';

const { name, logo, accent, links, supportEmail } = offer.product;

export function Wordmark() {
  return (
    <Group gap={10} wrap="nowrap">
      <Logo />
      <Text component="span" fw={680} fz="lg" lts="-0.02em">
        {name}
      </Text>
    </Group>
  );
}

/** The product's logo. By default, ever shorter lines of text and a coin, for words and credits. */
function Logo({ size = 28 }: { size?: number }) {
  if (logo !== null) return <img className={css.logo} src={logo} alt="" height={size} />;
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill={accent ?? '#1f7551'} />
      <path d="M8 10h16M8 16h10M8 22h5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="22.5" cy="21" r="3.5" fill="#f0b429" />
    </svg>
  );
}

export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const label = other === 'dark' ? t`Switch to dark theme` : t`Switch to light theme`;
  return (
    <Tip label={label}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={() => setColorScheme(other)}>
        <Icon name={other === 'dark' ? 'moon' : 'sun'} />
      </ActionIcon>
    </Tip>
  );
}

const items: readonly (readonly [label: MessageDescriptor, href: string])[] = [
  ...(links.terms ? [[msg`Terms`, links.terms] as const] : []),
  ...(links.privacy ? [[msg`Privacy`, links.privacy] as const] : []),
  ...(links.status ? [[msg`Status`, links.status] as const] : []),
  ...(links.docs ? [[msg`Documentation`, links.docs] as const] : []),
  ...(supportEmail === null ? [] : [[msg`Support`, `mailto:${supportEmail}`] as const]),
];

/** The offer's links: terms, privacy, status, documentation and support. Nothing without any. */
export function ProductLinks() {
  if (items.length === 0) return null;
  return (
    <nav aria-label={t`About ${name}`}>
      <ul className={css.links}>
        {items.map(([label, href]) => (
          <li key={href}>
            <Anchor href={href} c="dimmed" inherit {...outside(href)}>
              {i18n._(label)}
            </Anchor>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const outside = (href: string) => (href.startsWith('https:') ? { target: '_blank', rel: 'noreferrer' } : {});

/** The terms and the privacy policy as links in a sentence. */
export function TermsInSentence() {
  const { terms, privacy } = links;
  if (terms && privacy)
    return (
      <Trans>
        <TextLink href={terms}>Terms</TextLink> and the <TextLink href={privacy}>Privacy Policy</TextLink>
      </Trans>
    );
  if (terms) return <TextLink href={terms}>{t`Terms`}</TextLink>;
  return privacy && <TextLink href={privacy}>{t`Privacy Policy`}</TextLink>;
}

export const hasTerms = links.terms !== undefined || links.privacy !== undefined;

function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor href={href} inherit target="_blank" rel="noreferrer" underline="always">
      {children}
    </Anchor>
  );
}
