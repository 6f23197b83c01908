import type { Plans } from '#contract/billing/plans.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import type { OrganizationRole } from '#contract/organizations/roles.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { Account } from '../accounts/account.ts';
import { addresseeOf } from '../accounts/mail-preferences.ts';
import { newOwnerMail, secondFactorRuleMail } from '../accounts/security-mails.ts';
import { windows } from '../accounts/throttle.ts';
import { openMeter } from '../billing/grants.ts';
import { isSubscribed, type Meter } from '../meter/meter.ts';
import { newAccountId, newRequestId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  type Acting,
  type Actor,
  actorOf,
  isAlive,
  lastOwner,
  isPersonal,
  listed,
  type Member,
  type Membership,
  memberView,
  noSecondFactor,
  type Organization,
  type OrganizationStore,
  organizationView,
  ownSecondFactorFirst,
  personalOrganization,
  type RoleNotice,
  senderOf,
  type SetSecondFactor,
  refusePersonal,
  refuseRole,
  tooManyOrganizations,
  unknownMember,
  unknownOrganization,
  untilDone,
} from './organization.ts';

export interface OrganizationParts {
  readonly store: OrganizationStore;
  readonly plans: Plans;
  readonly currentMeter: (id: number, now: number) => Promise<Meter>;
  /** Counts for the person and for the address, with which a person can register again. */
  readonly enforceCreationLimit: (account: Account) => Promise<void>;
  /** Ends all charges for plans before an organization is deleted. Throws 503 if that is not possible now. */
  readonly stopCollecting: (id: number) => Promise<void>;
  readonly afterDeletion: (id: number) => Promise<void>;
  readonly revokeKeysOf: (id: number, userId: number) => Promise<void>;
  /** Called after the owners have changed. */
  readonly onOwners: (id: number) => Promise<void>;
  readonly setSecondFactor: SetSecondFactor;
  /** Limits how often members get emails about the requirement. */
  readonly enforceRuleLimit: (id: number) => Promise<void>;
  /** Counts an email to a new owner. Returns false above `ownerMails`. */
  readonly mayMailOwner: (id: number, userId: number) => Promise<boolean>;
  readonly publicOrigin: string;
  readonly clock: Clock;
  readonly random: Random;
}

const retentionMs = 30 * dayMs;

/** Each organization has a free allowance. */
export const newOrganizations = windows('organization', [{ max: 5, ms: 30 * dayMs }]);

/** Turning on the requirement of a second factor sends an email to every other member. */
export const secondFactorRequirements = windows('second-factor-rule', [{ max: 5, ms: dayMs }]);

/** Limits emails to a member who is repeatedly made an owner of the same organization. */
export const ownerMails = windows('owner-mail', [{ max: 5, ms: dayMs }]);

/** Organizations and their members (docs/accounts.md#organizations). */
export function organizationService(parts: OrganizationParts) {
  const { store, clock, publicOrigin } = parts;

  async function list(account: Account) {
    const memberships = (await store.membershipsOf(account.id)).filter(isAlive);
    return listed([personalOrganization(account), ...memberships.map(organizationView)]);
  }

  async function create(account: Account, name: string) {
    if ((await store.count(account.id)) >= limits.organizations) throw tooManyOrganizations();
    await parts.enforceCreationLimit(account);
    return untilDone(async () => {
      const now = clock.now();
      const id = newAccountId(parts.random);
      const organization = { id, name, createdAt: now, owners: 1, members: 1, open: new Map() };
      const member: Member = { userId: account.id, role: 'owner', joinedAt: now };
      const isDone = await store.create(organization, member, openMeter(id, Math.floor(now / 1000), parts.plans));
      if (isDone) return organizationView({ organization, member });
      if ((await store.count(account.id)) >= limits.organizations) throw tooManyOrganizations();
      return undefined;
    });
  }

  async function get(acting: Acting) {
    return isPersonal(acting) ? personalOrganization(acting.account) : organizationView(await own(acting));
  }

  async function rename(acting: Acting, name: string) {
    refusePersonal(acting, 'The personal organization has the name of its person, which PATCH /api/auth/me changes.');
    if (!(await store.rename(acting.accountId, name))) throw unknownOrganization();
    return get(acting);
  }

  /** Repeating the request sends the emails that an interrupted one left. */
  async function requireSecondFactor(acting: Acting, isRequired: boolean, requestId: string) {
    refusePersonal(
      acting,
      'The personal organization has one member, whose two-step sign-in is a setting of the account.',
    );
    if (isRequired && !acting.hasSecondFactor) throw ownSecondFactorFirst();
    const changed = await untilDone(async (tries) => {
      const { organization, member } = await own(acting);
      refuseRole('own', member.role);
      if ((organization.secondFactorRequiredAt !== undefined) === isRequired) return { organization, member };
      if (isRequired && tries === 0) await parts.enforceRuleLimit(organization.id);
      const at = clock.now();
      const event = ruleEvent(acting, isRequired, { at, requestId });
      const since = isRequired ? at : undefined;
      if (!(await parts.setSecondFactor(since, actorOf(acting), event))) return undefined;
      const { secondFactorRequiredAt: _, ...rest } = organization;
      return { organization: isRequired ? { ...rest, secondFactorRequiredAt: at } : rest, member };
    });
    if (isRequired) await announceSecondFactor(changed.organization, acting.account.id);
    return organizationView(changed);
  }

  async function announceSecondFactor(organization: Organization, setter: number): Promise<void> {
    const { id, name, secondFactorRequiredAt: since = 0 } = organization;
    const now = clock.now();
    if (now - since > dayMs) return;
    const mailTo = (account: Account) => ({
      id: `${id}-${since}-${account.id}`,
      to: account.email,
      ...secondFactorRuleMail(
        addresseeOf({ ...account, organization: name }, publicOrigin),
        { organization: name, hasSecondFactor: account.secondFactorAt !== undefined },
        `${publicOrigin}/settings#two-step`,
      ),
    });
    await store.notifyMembers(id, setter, mailTo, now);
  }

  async function remove(acting: Acting): Promise<void> {
    refusePersonal(acting, 'The personal organization ends with the account.');
    const { accountId: id } = acting;
    const now = clock.now();
    const meter = await parts.currentMeter(id, now);
    if (isSubscribed(meter) && parts.plans(meter.planRank).price !== 0) {
      throw new ServiceError('INVALID_STATE', 'A paid plan is running. Cancel the subscription first.');
    }
    if (!(await close(id, now))) throw unknownOrganization();
  }

  async function close(id: number, now: number, members?: number): Promise<boolean> {
    await parts.stopCollecting(id);
    const until = { now, purgeAt: now + retentionMs, ...(members !== undefined && { members }) };
    if (!(await store.close(id, until))) return false;
    await parts.afterDeletion(id);
    return true;
  }

  async function members(acting: Acting) {
    const all = isPersonal(acting) ? store.named([ofPerson(acting.account)]) : store.members(acting.accountId);
    return listed((await all).map(memberView));
  }

  async function changeMember(acting: Acting, userId: number, role: OrganizationRole) {
    if (isPersonal(acting)) {
      if (userId !== acting.account.id) throw unknownMember();
      if (role !== 'owner') throw lastOwner();
      return named(ofPerson(acting.account));
    }
    let notice: RoleNotice | undefined;
    const member = await untilDone(async (tries) => {
      const [{ organization, member: before }, actor] = await read(acting, userId, tries);
      const isOfOwner = before.role === 'owner' || role === 'owner';
      refuseRole(isOfOwner ? 'own' : 'manage', actor.role);
      if (before.role === role) return before;
      if (before.role === 'owner' && organization.owners === 1) throw lastOwner();
      if (role === 'owner') notice ??= await noticeOfOwner(organization, userId, acting.account);
      if (!(await store.changeRole(organization.id, before, role, actor, notice))) return undefined;
      if (isOfOwner) await parts.onOwners(organization.id);
      return { ...before, role };
    });
    return named(member);
  }

  async function noticeOfOwner(
    { id, name }: Organization,
    userId: number,
    by: Account,
  ): Promise<RoleNotice | undefined> {
    if (!(await parts.mayMailOwner(id, userId))) return undefined;
    const mailTo = (account: Account) => ({
      id: newRequestId(parts.random),
      to: account.email,
      ...newOwnerMail(
        addresseeOf({ ...account, organization: name }, publicOrigin),
        { organization: name, sender: senderOf(by) },
        `${publicOrigin}/organization`,
      ),
    });
    return { mailTo, now: clock.now() };
  }

  async function named(member: Member) {
    const [found] = await store.named([member]);
    if (!found) throw unknownMember();
    return memberView(found);
  }

  /** Removes another member, or lets the acting person leave. */
  async function removeMember(acting: Acting, userId: number, revokeKeys: boolean): Promise<void> {
    if (isPersonal(acting)) throw userId === acting.account.id ? lastOwner() : unknownMember();
    const { accountId: id, account, hasSecondFactor } = acting;
    if (
      userId !== account.id &&
      !hasSecondFactor &&
      (await own(acting)).organization.secondFactorRequiredAt !== undefined
    )
      throw noSecondFactor();
    await untilDone(async (tries) => {
      const [{ organization, member }, actor] = await read(acting, userId, tries);
      if (userId !== actor.userId) refuseRole(member.role === 'owner' ? 'own' : 'manage', actor.role);
      if (member.role === 'owner' && organization.owners === 1) throw lastOwner();
      // Before the removal, so that a repeated request can revoke what an interrupted one left.
      if (revokeKeys && tries === 0) await parts.revokeKeysOf(id, userId);
      if (!(await store.removeMember(organization, member, actor))) return undefined;
      if (member.role === 'owner') await parts.onOwners(id);
      return true;
    });
    // Keys that the member created meanwhile.
    if (revokeKeys) await parts.revokeKeysOf(id, userId);
  }

  /** The member to change, and the acting one, which is read again after a failed write. */
  async function read(acting: Acting, userId: number, tries: number): Promise<[Membership, Actor]> {
    const { accountId: id, account } = acting;
    const membership = await store.membership(id, userId);
    if (!membership || !isAlive(membership)) throw unknownMember();
    // The write checks the role of `member` only, which may be smaller than when the request was authorized.
    if (userId === account.id) return [membership, membership.member];
    return [membership, tries === 0 ? actorOf(acting) : (await own(acting)).member];
  }

  /**
   * Ends the memberships of a person whose account will be deleted, and deletes the organizations that have no other
   * member. Refuses (409) if one would be left without an owner.
   */
  async function leaveAll(account: Account): Promise<void> {
    for (const { organization, member } of (await store.membershipsOf(account.id)).filter(isAlive)) {
      const { owners, members: count, name } = organization;
      if (member.role !== 'owner' || owners > 1 || count === 1) continue;
      const detail = `You are the last owner of the organization ${name}. Make another member an owner, or delete it.`;
      throw new ServiceError('INVALID_STATE', detail);
    }
    for (const { organization } of await store.membershipsOf(account.id)) await leave(account.id, organization.id);
  }

  async function leave(userId: number, id: number): Promise<void> {
    await untilDone(async () => {
      const membership = await store.membership(id, userId);
      if (!membership) return true;
      const { organization, member } = membership;
      const isLast = isAlive(membership) && member.role === 'owner' && organization.owners === 1;
      if (isLast && organization.members > 1) throw lastOwner();
      if (isLast) return (await close(id, clock.now(), 1)) || undefined;
      if (!(await store.removeMember(organization, member, member))) return undefined;
      if (member.role === 'owner' && isAlive(membership)) await parts.onOwners(id);
      return true;
    });
  }

  async function own({ accountId, account }: Acting): Promise<Membership> {
    const membership = await store.membership(accountId, account.id);
    if (!membership || !isAlive(membership)) throw unknownOrganization();
    return membership;
  }

  return { list, create, get, rename, requireSecondFactor, remove, members, changeMember, removeMember, leaveAll };
}

const ofPerson = ({ id: userId, createdAt: joinedAt }: Account): Member => ({ userId, role: 'owner', joinedAt });

const ruleState = (isRequired: boolean) => ({ secondFactor: isRequired ? 'required' : 'optional' }) as const;

const ruleEvent = (
  { accountId, account }: Acting,
  isRequired: boolean,
  about: Pick<AuditEvent, 'at' | 'requestId'>,
): AuditEvent => ({
  accountId,
  action: 'require_second_factor',
  reason: `changed by the owner ${account.id}`,
  ...about,
  before: ruleState(!isRequired),
  after: ruleState(isRequired),
});
