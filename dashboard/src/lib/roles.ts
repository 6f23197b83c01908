import { type OrganizationAccess, type OrganizationRole, rolesByAccess } from '#contract/organizations/roles.ts';

export const roleTitles: Readonly<Record<OrganizationRole, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  billing: 'Billing',
  viewer: 'Viewer',
};

export const roleTexts: Readonly<Record<OrganizationRole, string>> = {
  owner: 'everything, including payments and deletion',
  admin: 'members, API keys, webhooks and agents',
  developer: 'API keys, webhooks, agents and calls',
  billing: 'plan and payments',
  viewer: 'read only',
};

const plurals: Readonly<Record<OrganizationRole, string>> = {
  owner: 'owners',
  admin: 'admins',
  developer: 'developers',
  billing: 'billing members',
  viewer: 'viewers',
};

const list = new Intl.ListFormat('en-GB');

/** "Your role in Acme is viewer. Only owners, admins and developers can change API keys." */
export function refusalText(
  role: OrganizationRole,
  access: OrganizationAccess,
  what: string,
  organization: string,
): string {
  const who = list.format(rolesByAccess[access].map((one) => plurals[one]));
  return `Your role in ${organization} is ${roleTitles[role].toLowerCase()}. Only ${who} can ${what}.`;
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
