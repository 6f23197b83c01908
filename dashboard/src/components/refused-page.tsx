import { RoleNotice } from './allowed.tsx';
import type { PageLink } from './page-links.ts';
import { Page } from './page.tsx';

/** What the roles of a page may do, after "can" in a sentence. */
const texts: Readonly<Record<string, string>> = {
  '/playground': 'call models from the playground',
  '/agents': 'use agents',
  '/messages': 'send and read messages',
  '/webhooks': 'use webhooks',
  '/billing': 'see payments and pay',
};

export default function RefusedPage({ href, label, access = 'read' }: PageLink) {
  return (
    <Page title={label}>
      <RoleNotice access={access} what={texts[href] ?? 'use this page'} />
    </Page>
  );
}
