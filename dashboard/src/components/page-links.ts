import { t } from '@lingui/core/macro';
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
interface PageGroup {
  readonly title?: string;
  readonly links: readonly PageLink[];
}

const overview = (): PageGroup => ({
  links: [{ href: '/', label: t`Overview`, icon: 'overview', words: t`home start balance` }],
});

const build = (): PageGroup => ({
  title: t`Build`,
  links: [
    {
      href: '/playground',
      label: t`Playground`,
      icon: 'playground',
      words: t`chat try models translate embeddings analyze sentiment entities speech voice audio transcribe`,
      access: 'develop',
    },
    { href: '/models', label: t`Models`, icon: 'models', words: t`prices cost calculator context window` },
    { href: '/keys', label: t`API keys`, icon: 'keys', words: t`token secret` },
    {
      href: '/agents',
      label: t`Agents`,
      icon: 'agents',
      words: t`assistant documents conversations retrieval`,
      of: 'chat',
      access: 'develop',
    },
    {
      href: '/messages',
      label: t`Messages`,
      icon: 'messages',
      words: t`sms text phone voice call send`,
      of: 'messages',
      access: 'develop',
    },
    {
      href: '/webhooks',
      label: t`Webhooks`,
      icon: 'webhooks',
      words: t`events deliveries`,
      of: 'webhooks',
      access: 'develop',
    },
  ],
});

const monitor = (): PageGroup => ({
  title: t`Monitor`,
  links: [
    { href: '/usage', label: t`Usage`, icon: 'usage', words: t`credits ledger spending` },
    { href: '/logs', label: t`Logs`, icon: 'logs', words: t`requests errors` },
  ],
});

const plansLink = (): PageLink => ({
  href: '/plans',
  label: t`Plans`,
  icon: 'plans',
  words: t`billing subscription upgrade cancel price`,
});

/** Shown only if the deployment accepts payments. */
const billingLink = (): PageLink => ({
  href: '/billing',
  label: t`Billing`,
  icon: 'billing',
  words: t`buy credits pay payments card invoices receipts automatic top-up`,
  access: 'bill',
});

const organizationLink = (): PageLink => ({
  href: '/organization',
  label: t`Organization`,
  icon: 'organization',
  words: t`team members roles invite switch`,
});

const settingsLink = (): PageLink => ({
  href: '/settings',
  label: t`Settings`,
  icon: 'settings',
  words: t`profile email password sessions delete account`,
});

const operatorLink = (): PageLink => ({
  href: '/operator',
  label: t`Operator`,
  icon: 'operator',
  words: t`support accounts audit`,
});

/** Pages that are open to everyone. */
const docs = (): PageGroup => ({
  title: t`Docs`,
  links: [
    { href: '/guides', label: t`Guides`, icon: 'guides', words: t`documentation help how to examples` },
    { href: '/docs', label: t`API reference`, icon: 'docs', words: t`documentation operations endpoints` },
  ],
});

/** The page's link if not every role may use it. */
export const restrictedLink = (path: string): PageLink | undefined =>
  [...build().links, billingLink()].find(({ href, access }) => href === path && access);

/** `unknown` until the service has responded. */
export type Session = 'member' | 'guest' | 'unknown';

/** Returns the pages that the session may open, in the order of the navigation. */
export function usePageGroups(session: Session): readonly PageGroup[] {
  const { data: me } = useMe({ enabled: session === 'member' });
  const { payments } = useConfig();
  const isOffered = useIsOffered(session === 'member');
  if (session !== 'member') return [docs()];
  const links = [
    plansLink(),
    ...(payments ? [billingLink()] : []),
    organizationLink(),
    settingsLink(),
    ...(me?.role === 'operator' ? [operatorLink()] : []),
  ];
  const developing = build();
  const account = { title: t`Account`, links };
  const offered = developing.links.filter(({ of }) => of === undefined || isOffered(of));
  return [overview(), { ...developing, links: offered }, monitor(), account, docs()];
}
