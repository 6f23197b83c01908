import type { Service } from '#contract/offered-services.ts';
import type { OrganizationAccess } from '#contract/organizations/roles.ts';
import { useConfig } from '../api/config.ts';
import { useIsOffered, useMe } from '../api/reads.ts';
import type { IconName } from './icon.tsx';

export interface PageLink {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  /** Additional search terms. */
  readonly words?: string;
  /** The page is linked if this service is offered. */
  readonly of?: Service;
  /** Access to the organization that the page needs. Default: every role. */
  readonly access?: OrganizationAccess;
}

/** A group of the navigation. The first group has no title. */
export interface PageGroup {
  readonly title?: string;
  readonly links: readonly PageLink[];
}

const overview: PageGroup = {
  links: [{ href: '/', label: 'Overview', icon: 'overview', words: 'home start balance' }],
};

const build: PageGroup = {
  title: 'Build',
  links: [
    {
      href: '/playground',
      label: 'Playground',
      icon: 'playground',
      words: 'chat try models translate embeddings analyze sentiment entities speech voice audio transcribe',
      access: 'develop',
    },
    { href: '/models', label: 'Models', icon: 'models', words: 'prices cost calculator context window' },
    { href: '/keys', label: 'API keys', icon: 'keys', words: 'token secret' },
    {
      href: '/agents',
      label: 'Agents',
      icon: 'agents',
      words: 'assistant documents conversations retrieval',
      of: 'chat',
      access: 'develop',
    },
    {
      href: '/messages',
      label: 'Messages',
      icon: 'messages',
      words: 'sms text phone voice call send',
      of: 'messages',
      access: 'develop',
    },
    {
      href: '/webhooks',
      label: 'Webhooks',
      icon: 'webhooks',
      words: 'events deliveries',
      of: 'webhooks',
      access: 'develop',
    },
  ],
};

const monitor: PageGroup = {
  title: 'Monitor',
  links: [
    { href: '/usage', label: 'Usage', icon: 'usage', words: 'credits ledger spending' },
    { href: '/logs', label: 'Logs', icon: 'logs', words: 'requests errors' },
  ],
};

const plansLink: PageLink = {
  href: '/plans',
  label: 'Plans',
  icon: 'plans',
  words: 'billing subscription upgrade cancel price',
};

/** Shown only if the deployment accepts payments. */
const billingLink: PageLink = {
  href: '/billing',
  label: 'Billing',
  icon: 'billing',
  words: 'buy credits pay payments card invoices receipts automatic top-up',
  access: 'bill',
};

const organizationLink: PageLink = {
  href: '/organization',
  label: 'Organization',
  icon: 'organization',
  words: 'team members roles invite switch',
};

const settingsLink: PageLink = {
  href: '/settings',
  label: 'Settings',
  icon: 'settings',
  words: 'profile email password sessions delete account',
};

const operatorLink: PageLink = {
  href: '/operator',
  label: 'Operator',
  icon: 'operator',
  words: 'support accounts audit',
};

/** Pages that are open to everyone. */
const docs: PageGroup = {
  title: 'Docs',
  links: [
    { href: '/guides', label: 'Guides', icon: 'guides', words: 'documentation help how to examples' },
    { href: '/docs', label: 'API reference', icon: 'docs', words: 'documentation operations endpoints' },
  ],
};

/** The page's link if not every role may use it. */
export const restrictedLink = (path: string): PageLink | undefined =>
  [...build.links, billingLink].find(({ href, access }) => href === path && access);

/** `unknown` until the service has responded. */
export type Session = 'member' | 'guest' | 'unknown';

/** Returns the pages that the session may open, in the order of the navigation. */
export function usePageGroups(session: Session): readonly PageGroup[] {
  const { data: me } = useMe({ enabled: session === 'member' });
  const { payments } = useConfig();
  const isOffered = useIsOffered(session === 'member');
  if (session !== 'member') return [docs];
  const links = [
    plansLink,
    ...(payments ? [billingLink] : []),
    organizationLink,
    settingsLink,
    ...(me?.role === 'operator' ? [operatorLink] : []),
  ];
  const account = { title: 'Account', links };
  const offered = build.links.filter(({ of }) => of === undefined || isOffered(of));
  return [overview, { ...build, links: offered }, monitor, account, docs];
}
