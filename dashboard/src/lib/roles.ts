import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { type OrganizationAccess, type OrganizationRole, rolesByAccess } from '#contract/organizations/roles.ts';
import { formatList, lowered } from './format.ts';

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
