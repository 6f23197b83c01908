import { useMe } from '../api/reads.ts';
import type { IconName } from './icon.tsx';

export interface PageLink {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  /** Other words that it is found by. */
  readonly words?: string;
}

const pageLinks: readonly PageLink[] = [
  { href: '/', label: 'Overview', icon: 'overview', words: 'home start balance' },
  { href: '/keys', label: 'API keys', icon: 'keys', words: 'token secret' },
  { href: '/playground', label: 'Playground', icon: 'playground', words: 'chat try models translate embeddings' },
  { href: '/usage', label: 'Usage', icon: 'usage', words: 'credits ledger spending' },
  { href: '/logs', label: 'Logs', icon: 'logs', words: 'requests errors' },
  { href: '/webhooks', label: 'Webhooks', icon: 'webhooks', words: 'events deliveries' },
  { href: '/plans', label: 'Plans', icon: 'plans', words: 'billing subscription upgrade cancel price' },
  { href: '/settings', label: 'Settings', icon: 'settings', words: 'profile email password sessions delete account' },
];

const operatorLink: PageLink = {
  href: '/operator',
  label: 'Operator',
  icon: 'operator',
  words: 'support accounts audit',
};

/** Pages of the signed-in user, in the order of the navigation. */
export const usePageLinks = (): readonly PageLink[] =>
  useMe().data?.role === 'operator' ? [...pageLinks, operatorLink] : pageLinks;

/** A page beside the dashboard's own. */
export const referenceLink: PageLink = { href: '/docs', label: 'API reference', icon: 'docs', words: 'documentation' };
