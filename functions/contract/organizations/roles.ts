/** Roles of an organization's members, in the order in which lists show them (docs/accounts.md#organizations). */
export const organizationRoles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type OrganizationRole = (typeof organizationRoles)[number];

/** Roles that may use a route, by its `access`. */
export const rolesByAccess = {
  read: organizationRoles,
  develop: ['owner', 'admin', 'developer'],
  bill: ['owner', 'billing'],
  manage: ['owner', 'admin'],
  own: ['owner'],
} as const satisfies Readonly<Record<string, readonly OrganizationRole[]>>;

export type OrganizationAccess = keyof typeof rolesByAccess;

/** `person`: the route is about the signed-in person and ignores organizations. */
export type SessionAccess = OrganizationAccess | 'person';

export const mayAccess = (access: OrganizationAccess, role: OrganizationRole): boolean =>
  rolesByAccess[access].some((allowed) => allowed === role);

/** Such as `owner, admin or developer`. */
export function roleNames(access: OrganizationAccess): string {
  const roles = rolesByAccess[access];
  return [roles.slice(0, -1).join(', '), roles.at(-1)].filter(Boolean).join(' or ');
}

/** Names the organization of a request with a session. */
export const organizationHeader = 'x-organization';
