import type { Route } from '#contract/http/route.ts';
import type { organizationHeader } from '#contract/organizations/roles.ts';
import type { organizationRoutes } from '#contract/routes/organizations.ts';
import { readStored, removeStored, store } from '../lib/storage.ts';
import {
  clearTabMemory,
  closeTabMemory,
  forgetKept,
  forgetOtherAccounts,
  chosenOrganization,
  isOrganizationChosen,
  type OrganizationChoice,
} from './account-storage.ts';

/**
 * The account that this document belongs to, set by the first response of `GET /auth/me`. It never changes: when the
 * session ends or becomes another account's, a full navigation replaces the document. So keys, caches, forms and
 * running calls in memory never outlive the session.
 */
let account: number | undefined;
/** Owner of the tab's session storage on a page without a session. */
const nobody = 0;
/** Session storage item with the account of the document that this one replaced. */
const leftName = 'left-account';
let unmount: () => void = () => undefined;
let isLeft = false;
const channel = new BroadcastChannel('session');

export const documentAccount = (): number | undefined => account;

/** Assigns the document to the session's account. If it belongs to another one, reloads the page and never resolves. */
export async function claimDocument(id: number): Promise<void> {
  if (account === undefined) forgetOthers(id);
  account ??= id;
  if (account !== id) await leaveToOther();
}

/** Deletes the session storage of earlier sessions on a page without a session. */
export const forgetSessions = (): void => forgetOtherAccounts(nobody);

/** Returns true once, in a document that replaced a document of another account. */
export function takeAccountChange(): boolean {
  const left = readStored('sessionStorage', leftName);
  removeStored('sessionStorage', leftName);
  return left !== null && left !== String(account);
}

/** Call after a sign-in. Reloads a document of another account. */
export async function becomeAccount(id: number): Promise<void> {
  notifyOtherTabs(id);
  forgetOthers(id);
  if (account === undefined || account === id) return;
  closeTabMemory();
  await reloadDocument();
}

/** Deletes the data of other accounts in this browser. */
function forgetOthers(id: number): void {
  forgetOtherAccounts(id);
  forgetKept(id);
}

/** Leaves the document after its session has ended. */
export function endDocument(next: string): Promise<never> {
  closeTabMemory();
  if (account !== undefined) notifyOtherTabs(null);
  return leave(() => window.location.replace(next));
}

// A BroadcastChannel reaches only its own origin and its `postMessage` has no target parameter.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const notifyOtherTabs = (id: number | null): void => channel.postMessage(id);

/** Reloads the page. The new document has no account yet. */
export const reloadDocument = (): Promise<never> => leave(() => window.location.reload());

/** Opens a path of the dashboard in a new document, as another organization. */
export const replaceDocument = (path: string): Promise<never> => leave(() => window.location.assign(path));

/** Reloads the page for the session's new account. The new page tells the user, because unsaved input is lost. */
function leaveToOther(): Promise<never> {
  closeTabMemory();
  store('sessionStorage', leftName, String(account));
  return reloadDocument();
}

/**
 * Leaves this document when another tab changes the session, and when the back/forward cache restores it, because the
 * session may have changed in between. `onLeave` unmounts the page.
 */
export function watchOtherTabs(onLeave: () => void): void {
  unmount = onLeave;
  channel.addEventListener('message', ({ data }) => {
    if (data === null) clearTabMemory();
    else forgetOtherAccounts(data);
    if (account === undefined || data === account) return;
    closeTabMemory();
    void (data === null ? reloadDocument() : leaveToOther());
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted && account !== undefined) void reloadDocument();
  });
}

/** Unmounts the page immediately, because a navigation takes time. Never resolves, so that callers do not continue. */
function leave(navigate: () => void): Promise<never> {
  if (!isLeft) {
    isLeft = true;
    // The caller may be an effect: React cannot unmount within it.
    queueMicrotask(unmount);
    navigate();
  }
  return new Promise(() => undefined);
}

/**
 * The organization that this document shows, or null for the personal one. Like the document's account, it never
 * changes: a switch replaces the document, so that cached responses, keys and drafts in memory end with it. Another tab
 * may show another organization.
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
