import { removeStored, store, storedNames } from '../lib/storage.ts';
import { choiceName, forget, keep, leaveReason, type OrganizationChoice, remember } from './account-storage.ts';
import { documentAccount, replaceDocument, documentOrganization, documentOwner } from './account.ts';

/** Stores the organization of this tab and of new tabs. Returns false if the browser stores nothing. */
export function chooseOrganization(choice: OrganizationChoice | null): boolean {
  const account = documentAccount();
  if (account === undefined) return false;
  if (choice === null) forget(account, choiceName);
  else keep(account, choiceName, JSON.stringify(choice));
  return remember(account, choice, 'organization');
}

/**
 * Opens an organization, null for the personal one, in a new document. Resolves to false if the browser cannot store
 * the choice.
 */
export const openOrganization = async (
  choice: OrganizationChoice | null,
  path = window.location.pathname,
): Promise<boolean> => chooseOrganization(choice) && replaceDocument(path);

/** Deletes what the browser stores of the document's organization, and falls back to the personal one. */
export async function leaveOrganization(reason: string): Promise<void> {
  const owner = `:${documentOwner()}`;
  if (!documentOrganization()) return;
  for (const kind of ['localStorage', 'sessionStorage'] as const)
    for (const name of storedNames(kind))
      if (name.endsWith(owner) || name.includes(`${owner}:`)) removeStored(kind, name);
  store('sessionStorage', leaveReason, reason);
  await openOrganization(null);
}
