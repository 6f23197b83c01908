import type { Route } from '#contract/http/route.ts';
import { organizationHeader } from '#contract/organizations/roles.ts';
import type { organizationRoutes } from '#contract/routes/organizations.ts';
import { readStored, removeStored, store } from '../lib/storage.ts';
import {
  chooseOrganization,
  chosenOrganization,
  forgetOwner,
  isOrganizationChosen,
  type OrganizationChoice,
} from './account-storage.ts';
import { documentAccount, replaceDocument } from './account.ts';

/**
 * The organization that this document shows, or null for the personal one. Like the document's account, it never changes:
 * a switch replaces the document, so that cached responses, keys and drafts in memory end with it. Another tab may show
 * another organization.
 */
let organization: OrganizationChoice | null | undefined;
/** Session storage item with the reason why this document replaced one of another organization. */
const reasonName = 'left-organization';

/** Cache key of the list of organizations. The sign-in page does not load the routes. */
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
  return shown ? { [organizationHeader]: shown.id } : {};
}

/**
 * Opens an organization, null for the personal one, in a new document. Resolves to false if the browser cannot store the
 * choice.
 */
export async function openOrganization(
  choice: OrganizationChoice | null,
  path = window.location.pathname,
): Promise<boolean> {
  const account = documentAccount();
  if (account === undefined || !chooseOrganization(account, choice)) return false;
  return replaceDocument(path);
}

/** Stores the organization's new name. */
export function renameChoice(choice: OrganizationChoice): void {
  const account = documentAccount();
  if (account === undefined || organization?.id !== choice.id || organization.name === choice.name) return;
  organization = choice;
  chooseOrganization(account, choice);
}

/** Deletes what the browser stores of the document's organization, and falls back to the personal one. */
export async function leaveOrganization(reason: string): Promise<void> {
  const owner = documentOwner();
  if (owner === undefined || !organization) return;
  forgetOwner(owner);
  store('sessionStorage', reasonName, reason);
  await openOrganization(null);
}

/** Returns once the reason why this document replaced one of another organization. */
export function takeLeaveReason(): string | null {
  const reason = readStored('sessionStorage', reasonName);
  removeStored('sessionStorage', reasonName);
  return reason;
}
