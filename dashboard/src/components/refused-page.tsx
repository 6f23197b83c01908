import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { RoleNotice } from './allowed.tsx';
import type { PageLink } from './page-links.ts';
import { Page } from './page.tsx';

/** What the roles of a page may do, after "can" in a sentence. */
const texts: Readonly<Record<string, MessageDescriptor>> = {
  '/playground': msg`call models from the playground`,
  '/agents': msg`use agents`,
  '/messages': msg`send and read messages`,
  '/webhooks': msg`use webhooks`,
  '/billing': msg`see payments and pay`,
};

export default function RefusedPage({ href, label, access = 'read' }: PageLink) {
  return (
    <Page title={label}>
      <RoleNotice access={access} what={i18n._(texts[href] ?? msg`use this page`)} />
    </Page>
  );
}
