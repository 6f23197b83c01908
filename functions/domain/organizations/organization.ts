import { isName } from '#contract/accounts/names.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { mayAccess, type OrganizationAccess, type OrganizationRole, roleNames } from '#contract/organizations/roles.ts';
import { limits } from '#contract/shared/limits.ts';
import { iso } from '#contract/shared/time.ts';
import type { Account } from '../accounts/account.ts';
import type { MailContent } from '../accounts/mail-layout.ts';
import type { Settled } from '../meter/meter.ts';
import type { OutgoingMail } from '../shared/ports.ts';
import { accountBusy, ServiceError } from '../shared/service-error.ts';

/** A shared organization. Its id is of the same range as those of accounts. Times in epoch ms. */
export interface Organization {
  readonly id: number;
  readonly name: string;
  readonly createdAt: number;
  readonly owners: number;
  readonly members: number;
  /** Expiry of the open invitations by id. Expired ones are removed with later changes. */
  readonly open: ReadonlyMap<string, number>;
  /** Since then, members need a second factor. */
  readonly secondFactorRequiredAt?: number;
  readonly suspendedAt?: number;
  readonly deletedAt?: number;
}

export interface Member {
  readonly userId: number;
  readonly role: OrganizationRole;
  readonly joinedAt: number;
}

export interface NamedMember extends Member, Pick<Account, 'name' | 'email'> {
  readonly hasSecondFactor: boolean;
  readonly hasPasskey: boolean;
}

/** `id` identifies organization and address, so that an address has one invitation. `invitedBy`: id of the member. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrganizationRole;
  readonly invitedBy: number;
  readonly digest: string;
  readonly expiresAt: number;
}

/** An organization and the role of a person in it. */
export interface Membership {
  readonly organization: Organization;
  readonly member: Member;
}

/** A person who receives an email about an account; `organization`: the name of the shared one, if it is one. */
export type Recipient = Account & { readonly organization?: string };

/** Returns the name of a person in emails to other people. */
export const senderOf = ({ name, email }: Pick<Account, 'name' | 'email'>): string =>
  isName(name) ? `${name} (${email})` : email;

/** The email to a member has an id of its own. */
export const mailOf = (id: string, accountId: number, to: Recipient, content: MailContent): OutgoingMail => {
  return { id: to.id === accountId ? id : `${id}-${to.id}`, to: to.email, ...content };
};

/** The member who makes a change. It fails if the role has changed. */
export type Actor = Pick<Member, 'userId' | 'role'>;

/** The email about a change of role. `now`: time of the change in epoch ms. */
export interface RoleNotice {
  readonly mailTo: (account: Account) => OutgoingMail;
  readonly now: number;
}

/** Each change is one transaction, which returns false if an item has changed since it was read. */
export interface OrganizationStore {
  /** Includes deleted organizations. */
  find(id: number): Promise<Organization | undefined>;
  create(organization: Organization, owner: Member, meter: Settled): Promise<boolean>;
  /** Those of a person, the oldest first. Includes deleted organizations that a member has not left. */
  membershipsOf(userId: number): Promise<readonly Membership[]>;
  /** Includes deleted organizations. */
  membership(id: number, userId: number): Promise<Membership | undefined>;
  members(id: number): Promise<readonly NamedMember[]>;
  /** Omits members whose accounts were purged. */
  named(members: readonly Member[]): Promise<readonly NamedMember[]>;
  rename(id: number, name: string): Promise<boolean>;
  /** Sends an email to each member except `setter`. A repeated call with the same email ids sends nothing again. */
  notifyMembers(id: number, setter: number, mailTo: (account: Account) => OutgoingMail, now: number): Promise<void>;
  /** Sends the email of `notice` to the member. */
  changeRole(id: number, before: Member, role: OrganizationRole, actor: Actor, notice?: RoleNotice): Promise<boolean>;
  /** `organization` as read. The last owner of one that is not deleted remains. */
  removeMember(organization: Organization, member: Member, actor: Actor): Promise<boolean>;
  invitations(id: number, now: number): Promise<readonly Invitation[]>;
  /** Replaces an earlier invitation of the address, but an owner's only by an owner. Removes expired ones. */
  invite(
    organization: Organization,
    invitation: Invitation,
    mail: OutgoingMail,
    actor: Actor,
    now: number,
  ): Promise<boolean>;
  withdraw(id: number, invitation: Invitation): Promise<boolean>;
  accept(id: number, invitation: Invitation, inviter: Actor, account: Account, now: number): Promise<boolean>;
  /** Disables keys and ends the memberships. With `members`, only if it has that many. */
  close(
    id: number,
    until: { readonly now: number; readonly purgeAt: number; readonly members?: number },
  ): Promise<boolean>;
  endMemberships(id: number): Promise<void>;
  /** Number of shared organizations of a person. */
  count(userId: number): Promise<number>;
}

/**
 * Writes since when the organization of the event requires a second factor, or that it requires none, with the event.
 * Returns false if an item has changed since it was read.
 */
export type SetSecondFactor = (at: number | undefined, actor: Actor, event: AuditEvent) => Promise<boolean>;

export const organizationView = ({ organization, member: { role } }: Membership) => {
  const { id, name, createdAt, secondFactorRequiredAt } = organization;
  return { id, name, role, createdAt: iso(createdAt), requiresSecondFactor: secondFactorRequiredAt !== undefined };
};

export const memberView = ({ joinedAt, ...member }: NamedMember) => ({ ...member, joinedAt: iso(joinedAt) });

export const invitationView = ({ id, email, role, expiresAt }: Invitation) => {
  return { id, email, role, expiresAt: iso(expiresAt) };
};

/** The personal organization of an account. It is the account itself, so nothing is stored. */
export const personalOrganization = ({ id, name, createdAt }: Account) => {
  return { id, name, role: 'owner' as const, createdAt: iso(createdAt), requiresSecondFactor: false };
};

export const listed = <Item>(items: Item[]) => ({ items, nextCursor: null });

export const isOwner = ({ member }: Membership): boolean => member.role === 'owner';
export const isAlive = ({ organization }: Membership): boolean => organization.deletedAt === undefined;

/** A signed-in person who acts for an organization. In the personal one, `accountId` is the id of the account. */
export interface Acting {
  readonly accountId: number;
  readonly account: Account;
  readonly role: OrganizationRole;
  /** The account has an authenticator app, or the session began with a passkey. */
  readonly hasSecondFactor: boolean;
}

export const isPersonal = ({ accountId, account }: Acting): boolean => accountId === account.id;
export const actorOf = ({ account, role }: Acting): Actor => ({ userId: account.id, role });

export function refusePersonal(acting: Acting, detail: string): void {
  if (isPersonal(acting)) throw new ServiceError('INVALID_STATE', detail);
}

/** Throws 403 with the roles that may do this. */
export function refuseRole(access: OrganizationAccess, role: OrganizationRole): void {
  if (!mayAccess(access, role)) throw roleTooSmall(access, role);
}

export function roleTooSmall(access: OrganizationAccess, role: OrganizationRole): ServiceError {
  const detail = `This requires the role ${roleNames(access)} in the organization; yours is ${role}.`;
  return new ServiceError('INSUFFICIENT_PERMISSIONS', detail);
}

export const noSecondFactor = () =>
  new ServiceError(
    'SECOND_FACTOR_NOT_ENABLED',
    'The organization requires two-step sign-in. Set up an authenticator app, or add a passkey and sign in with it.',
  );
export const ownSecondFactorFirst = () =>
  new ServiceError(
    'SECOND_FACTOR_NOT_ENABLED',
    'Your own account has no two-step sign-in. First set up an authenticator app, or add a passkey and sign in with it.',
  );

/** The same for organizations of others and unknown ones. */
export const unknownOrganization = () => new ServiceError('NOT_FOUND', 'You are not a member of such an organization.');
export const unknownMember = () => new ServiceError('NOT_FOUND', 'There is no such member.');
export const lastOwner = () =>
  new ServiceError('INVALID_STATE', 'An organization needs an owner. Make another member an owner first.');
export const tooManyOrganizations = () =>
  new ServiceError('INVALID_STATE', `A person can be in at most ${limits.organizations} organizations.`);

/** Each of several concurrent changes of an organization can fail once for every other. */
const maxTries = 30;

/** Repeats an attempt, which returns undefined if an item has changed since it was read. */
export async function untilDone<T>(attempt: (tries: number) => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries++) {
    const done = await attempt(tries);
    if (done !== undefined) return done;
  }
  throw accountBusy();
}
