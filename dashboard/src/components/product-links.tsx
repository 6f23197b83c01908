import { Anchor } from '@mantine/core';
import { offer } from '#contract/offer/current-offer.ts';
import css from './product-links.module.css';

const { name, links, supportEmail } = offer.product;

const items: readonly (readonly [label: string, href: string])[] = [
  ...(links.terms ? [['Terms', links.terms] as const] : []),
  ...(links.privacy ? [['Privacy', links.privacy] as const] : []),
  ...(links.status ? [['Status', links.status] as const] : []),
  ...(links.docs ? [['Documentation', links.docs] as const] : []),
  ...(supportEmail === null ? [] : [['Support', `mailto:${supportEmail}`] as const]),
];

/** The offer's links: terms, privacy, status, documentation and support. Nothing without any. */
export function ProductLinks() {
  if (items.length === 0) return null;
  return (
    <nav aria-label={`About ${name}`}>
      <ul className={css.links}>
        {items.map(([label, href]) => (
          <li key={label}>
            <Anchor href={href} c="dimmed" inherit {...outside(href)}>
              {label}
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
  return (
    <>
      {terms && <TextLink href={terms}>Terms</TextLink>}
      {terms && privacy && ' and the '}
      {privacy && <TextLink href={privacy}>Privacy Policy</TextLink>}
    </>
  );
}

export const hasTerms = links.terms !== undefined || links.privacy !== undefined;

function TextLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor href={href} inherit target="_blank" rel="noreferrer" underline="always">
      {children}
    </Anchor>
  );
}
