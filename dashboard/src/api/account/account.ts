import { accountRoutes } from '#contract/routes/accounts.ts';
import { readStored, removeStored, store } from '../../lib/storage.ts';
import { ApiError } from '../http/api-error.ts';
import { readResponse } from '../http/response.ts';
import { type SendOptions, send } from '../http/send.ts';
import { forgetKept } from './account-storage.ts';
import { clearTabMemory, closeTabMemory, forgetOtherAccounts } from './tab-memory.ts';

/**
 * The account that this document belongs to, from the first response of `GET /auth/me` on. It never changes: when its
 * session ends, or the cookie is another account's, the document is left by a full navigation. So nothing in memory
 * outlives a session, whatever holds it: keys, caches, forms, running calls.
 */
let account: number | undefined;
/** Whose memory of the tab is that of a page without a session. */
const nobody = 0;
/** Whose document this tab showed before, where it was left because the session became another account's. */
const leftName = 'left-account';
/** The check that was sent last, and the one that waits for it. */
let sentCheck: Promise<unknown> = Promise.resolve();
let nextCheck: Promise<unknown> | undefined;
let unmount: () => void = () => undefined;
let isLeft = false;
const channel = new BroadcastChannel('session');

export const documentAccount = (): number | undefined => account;

/** The account of the session; never resolves where that is not the account of this document. */
export async function loadCurrentUser(options?: SendOptions) {
  const { data: user } = await readResponse(accountRoutes.me, await send(accountRoutes.me, {}, options));
  if (account === undefined) forgetOthers(user.id);
  account ??= user.id;
  return user.id === account ? user : leaveToOther();
}

/** As above, or null without a session, where this document has no account yet: for pages that are open to everybody. */
export async function loadMember(options?: SendOptions) {
  try {
    return await loadCurrentUser(options);
  } catch (error) {
    if (account !== undefined || !(error instanceof ApiError) || error.code !== 'INVALID_API_KEY') throw error;
    forgetOtherAccounts(nobody);
    return null;
  }
}

/**
 * Resolves when the session is still that of this document's account; throws an ApiError where there is none. It is sent
 * after the call, so it also shows whose response came before; concurrent checks share one request.
 */
export async function confirmAccount(): Promise<void> {
  nextCheck ??= sentCheck
    .catch(() => undefined)
    .then(() => {
      sentCheck = nextCheck ?? sentCheck;
      nextCheck = undefined;
      return loadCurrentUser();
    });
  await nextCheck;
}

/** True once, in the document that came after one of another account. */
export function takeAccountChange(): boolean {
  const left = readStored('sessionStorage', leftName);
  removeStored('sessionStorage', leftName);
  return left !== null && left !== String(account);
}

/** After a sign-in. A document of another account is left. */
export async function becomeAccount(id: number): Promise<void> {
  notifyOtherTabs(id);
  forgetOthers(id);
  if (account === undefined || account === id) return;
  closeTabMemory();
  await reloadDocument();
}

/** Removes what other accounts have left in this browser. */
function forgetOthers(id: number): void {
  forgetOtherAccounts(id);
  forgetKept(id);
}

/** After the session's end, whatever ended it. */
export function endDocument(next: string): Promise<never> {
  closeTabMemory();
  if (account !== undefined) notifyOtherTabs(null);
  return leave(() => window.location.replace(next));
}

// A BroadcastChannel reaches its own origin only, and takes no target.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const notifyOtherTabs = (id: number | null): void => channel.postMessage(id);

/** Reloads the page, in a document without an account yet. */
export const reloadDocument = (): Promise<never> => leave(() => window.location.reload());

/** Reloads the page for the session's new account, which is shown there, as unsaved input is lost. */
function leaveToOther(): Promise<never> {
  closeTabMemory();
  store('sessionStorage', leftName, String(account));
  return reloadDocument();
}

/**
 * Leaves this document when another tab changes the session, and when it comes back from the browser's back/forward
 * cache, as its time there is unknown. `onLeave` takes away what is shown.
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

/** A navigation takes a while: the page is unmounted immediately, and callers that wait for this never resume. */
function leave(navigate: () => void): Promise<never> {
  if (!isLeft) {
    isLeft = true;
    // Not within the effect that calls this.
    queueMicrotask(unmount);
    navigate();
  }
  return new Promise(() => undefined);
}
