import type { Route } from '#contract/http/route.ts';
import type { organizationHeader } from '#contract/organizations/roles.ts';
import type { organizationRoutes } from '#contract/routes/organizations.ts';
import { chosenOrganization, isOrganizationChosen, type OrganizationChoice } from './account-storage.ts';
import { documentAccount } from './account.ts';

/**
 * The organization that this document shows, or null for the personal one. Like the document's account, it never changes:
 * a switch replaces the document, so that cached responses, keys and drafts in memory end with it. Another tab may show
 * another organization.
 */
let organization: OrganizationChoice | null | undefined;

// The sign-in page loads this file, but neither routes nor roles: their names are only checked.

/** Cache key of the list of organizations. */
export const listKey = ['list-organizations' satisfies typeof organizationRoutes.listOrganizations.id] as const;

/** Undefined until the account is known. */
export function documentOrganization(): OrganizationChoice | null | undefined {
  const account = documentAccount();
  if (account !== undefined && organization === undefined) organization = chosenOrganization(account);
  return organization;
}

/** Owner of stored values that belong to the document's organization. Undefined until the account is known. */
export function documentOwner(): number | string | undefined {
  const account = documentAccount();
  const shown = documentOrganization();
  return account === undefined || !shown ? account : `${account}:${shown.id}`;
}

/** Whether a request with the session concerns the document's organization. */
const isOfOrganization = ({ access, namesOrganization }: Route): boolean =>
  access !== undefined && access !== 'person' && !namesOrganization;

/** True if only the account determines the organization of a request, and the account is still unknown. */
export const needsAccount = (route: Route): boolean =>
  documentAccount() === undefined && isOfOrganization(route) && isOrganizationChosen();

/** Header of requests with the session. None for the personal organization. */
export function headerOfOrganization(): Readonly<Record<string, string>> {
  const shown = documentOrganization();
  return shown ? { ['x-organization' satisfies typeof organizationHeader]: shown.id } : {};
}
