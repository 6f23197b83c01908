import { offer } from '../offer/current-offer.ts';

/** Product name and colors for emails and the pages of `npm start`. The dashboard's theme uses the same values. */
export const brand = {
  name: offer.product.name,
  ink: '#1e1d1a',
  dim: '#69645a',
  line: '#e2ded5',
  page: '#faf9f6',
  card: '#ffffff',
  accent: offer.product.accent ?? '#1f7551',
  coin: '#f0b429',
} as const;

export const htmlEntities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Escapes text for the content and the quoted attributes of HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => htmlEntities.get(character) ?? '');
