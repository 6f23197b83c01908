import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import {
  type OrganizationAccess,
  type OrganizationRole,
  rolesByAccess,
  mayAccess,
} from '#contract/organizations/roles.ts';
import { useSharedOrganization } from '../api/organizations.ts';
import { formatList, lowered } from '../lib/format.ts';
import { Notice } from './notice.tsx';
import type { PageLink } from './page-links.ts';
import { Page } from './page.tsx';

export const roleTitles: Readonly<Record<OrganizationRole, string>> = {
  get owner() {
    return t`Owner`;
  },
  get admin() {
    return t`Admin`;
  },
  get developer() {
    return t`Developer`;
  },
  get billing() {
    return t`Billing`;
  },
  get viewer() {
    return t`Viewer`;
  },
};

export const roleTexts: Readonly<Record<OrganizationRole, string>> = {
  get owner() {
    return t`everything, including payments and deletion`;
  },
  get admin() {
    return t`members, API keys, webhooks and agents`;
  },
  get developer() {
    return t`API keys, webhooks, agents and calls`;
  },
  get billing() {
    return t`plan and payments`;
  },
  get viewer() {
    return t`read only`;
  },
};

/** "Admin: members, API keys, webhooks and agents". */
export const roleLabel = (role: OrganizationRole): string =>
  t`${{ role: roleTitles[role] }}: ${{ rights: roleTexts[role] }}`;

const plurals: Readonly<Record<OrganizationRole, MessageDescriptor>> = {
  owner: msg`owners`,
  admin: msg`admins`,
  developer: msg`developers`,
  billing: msg`billing members`,
  viewer: msg`viewers`,
};

/** "Your role in Acme is viewer. Only owners, admins and developers can change API keys." */
export function refusalText(
  role: OrganizationRole,
  access: OrganizationAccess,
  what: string,
  organization: string,
): string {
  const who = formatList(rolesByAccess[access].map((one) => i18n._(plurals[one])));
  const title = lowered(roleTitles[role]);
  return t`Your role in ${organization} is ${title}. Only ${who} can ${what}.`;
}

const granted = ['admin', 'developer', 'billing', 'viewer'] as const;

/** Roles that a member may give to others. Only owners make owners. */
export function grantableBy(role: OrganizationRole): readonly OrganizationRole[] {
  if (role === 'owner') return ['owner', ...granted];
  return role === 'admin' ? granted : [];
}

/** Admins change everybody but owners. */
export const mayChange = (role: OrganizationRole, member: OrganizationRole): boolean =>
  role === 'owner' || (role === 'admin' && member !== 'owner');

interface Permission {
  readonly access: OrganizationAccess;
  /** What the role may not do, after "can" in a sentence. */
  readonly what: string;
}

/** Why the member's role may not do something, or undefined if it may. */
export function useRefusal({ access, what }: Permission): string | undefined {
  const organization = useSharedOrganization();
  if (!organization || mayAccess(access, organization.role)) return undefined;
  return refusalText(organization.role, access, what, organization.name);
}

/** Disables the controls inside it if the member's role may not use them. `RoleNotice` tells the reason. */
export function Allowed({ children, ...permission }: Permission & { readonly children: ReactNode }) {
  const refusal = useRefusal(permission);
  return (
    <fieldset disabled={refusal !== undefined} title={refusal} style={{ display: 'contents' }}>
      {children}
    </fieldset>
  );
}

export function RoleNotice(permission: Permission) {
  const refusal = useRefusal(permission);
  return (
    refusal !== undefined && (
      <Notice tone="info" icon="organization">
        {refusal}
      </Notice>
    )
  );
}

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
