import type { MailPreferences } from '#contract/accounts/preferences.ts';
import { dayMs, endOfMonth } from '#contract/shared/time.ts';
import type { Metering } from '../meter/metering.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import { newRequestId } from '../shared/credential.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import { accountBusy, ServiceError, unknownAccount } from '../shared/service-error.ts';
import {
  type Account,
  type AccountDeletionStore,
  type AccountSettings,
  type AccountStore,
  type DeletedAccount,
  normalizedEmail,
  type ProfileChange,
} from './account.ts';
import { mailsOffBy, preferencesOf } from './mail-preferences.ts';
import { accountDeletedMail } from './mails.ts';
import { type Throttle, unconfirmedDeletions } from './throttle.ts';

/** Milliseconds for which data of a deleted account is kept (docs/specification.md#credits, rule 3). */
const retentionMs = 30 * dayMs;

const maxConcurrentPurges = 8;

interface ProfileParts {
  readonly deletions: () => AccountDeletionStore;
  readonly meters: () => Metering;
  readonly throttle: () => Throttle;
  /** Ends all charges for plans before an account is deleted. Throws 503 if that is not possible now. */
  readonly stopCollecting: (accountId: number) => Promise<void>;
  /** Ends the memberships of the person. Throws 409 if an organization would be left without an owner. */
  readonly leaveOrganizations: (account: Account) => Promise<void>;
  readonly afterDeletion: (accountId: number) => Promise<void>;
}

export function profileService(
  accounts: AccountStore,
  { deletions, meters, throttle, stopCollecting, leaveOrganizations, afterDeletion }: ProfileParts,
  clock: Clock,
  random: Random,
  settings: Pick<AccountSettings, 'publicOrigin'>,
) {
  async function get(accountId: number): Promise<Account> {
    const account = await accounts.find(accountId);
    if (!account) throw unknownAccount();
    return account;
  }

  /** Refuses (403) the key of a shared organization, which has no person. */
  async function ofKey(accountId: number): Promise<Account> {
    const account = await accounts.find(accountId);
    if (account) return account;
    throw new ServiceError(
      'INSUFFICIENT_PERMISSIONS',
      'The API key belongs to an organization, not to a user. Sign in.',
    );
  }

  async function change(account: Account, changed: ProfileChange): Promise<Account> {
    await accounts.change(account.id, changed);
    return { ...account, ...changed };
  }

  async function setMailPreferences(accountId: number, preferences: MailPreferences): Promise<MailPreferences> {
    await accounts.setMailsOff(accountId, mailsOffBy(preferences));
    return preferences;
  }

  /**
   * An unconfirmed address may belong to another person: it receives no notice, and can be released only a few times
   * a day.
   */
  async function remove(account: Account, email: string, prove: (account: Account) => Promise<void>): Promise<void> {
    if (normalizedEmail(email) !== account.email) {
      throw new ServiceError('INVALID_FORMAT', 'email must be the address of this account.');
    }
    await prove(account);
    const isConfirmed = account.confirmedAt !== undefined;
    if (!isConfirmed) await throttle().enforce(unconfirmedDeletions, account.email);
    await leaveOrganizations(account);
    await stopCollecting(account.id);
    const now = clock.now();
    const removal = { purgeAt: now + retentionMs, freeFrom: await nextFreeMonth(account, now) };
    const notice = isConfirmed ? noticeTo(account) : undefined;
    if (!(await deletions().remove(account, removal, notice, now))) await refuseMember(account.id);
    await afterDeletion(account.id);
  }

  /** The person joined an organization meanwhile, unless another request deleted the account. */
  async function refuseMember(accountId: number): Promise<void> {
    const current = await accounts.find(accountId);
    if (current?.deletedAt === undefined) throw accountBusy();
  }

  function noticeTo(account: Account): OutgoingMail {
    return { id: newRequestId(random), to: account.email, ...accountDeletedMail(account, settings.publicOrigin) };
  }

  /** Epoch seconds. Undefined for an unconfirmed account, which never had credits to spend. */
  async function nextFreeMonth({ id, confirmedAt }: Account, now: number): Promise<number | undefined> {
    const meter = await meters().find(id);
    if (confirmedAt === undefined || !meter) return undefined;
    return endOfMonth(meter.freeAnchor, Math.floor(now / 1000));
  }

  /** Purges accounts past their retention. Throws failures together at the end. Returns the number purged. */
  async function purge(signal?: AbortSignal): Promise<number> {
    let purged = 0;
    const purgeOne = async (deleted: DeletedAccount): Promise<void> => {
      await deletions().purge(deleted, signal);
      purged += 1;
    };
    const due = deletions().toBePurged(clock.now());
    const { failures } = await visitEach(due, purgeOne, { concurrency: maxConcurrentPurges, signal });
    throwTogether(failures, 'accounts could not be purged');
    return purged;
  }

  return { get, ofKey, change, mailPreferences: preferencesOf, setMailPreferences, remove, purge };
}
