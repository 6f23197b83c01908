import { createHash } from 'node:crypto';
import { mayAccess, type OrganizationRole } from '#contract/organizations/roles.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs } from '#contract/shared/time.ts';
import { type Account, normalizedEmail } from '../accounts/account.ts';
import { emailContent } from '../accounts/mail-layout.ts';
import { windows } from '../accounts/throttle.ts';
import { issueCredential, newRequestId, parseCredential } from '../shared/credential.ts';
import { en, type Phrase } from '../shared/phrases.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  type Acting,
  actorOf,
  invitationView,
  isAlive,
  isPersonal,
  listed,
  type Organization,
  type OrganizationStore,
  refusePersonal,
  refuseRole,
  senderOf,
  tooManyOrganizations,
  unknownOrganization,
  untilDone,
} from './organization.ts';

const lifetimeMs = 7 * dayMs;

/** To an address, from all organizations. Apart from the owner's emails, so that nobody can exhaust their limit. */
export const invitationsToAddress = windows('invitation', [{ max: 10, ms: dayMs }]);
export const invitationsOfOrganization = windows('invitations', [{ max: 100, ms: dayMs }]);

export interface InvitationParts {
  readonly store: OrganizationStore;
  /** Counts the email for the organization and its address, whether or not the address has an account. */
  readonly enforceMailLimit: (organizationId: number, email: string) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly publicOrigin: string;
}

/** Invitations to organizations. They never tell whether an address has an account. */
export function invitationService({ store, enforceMailLimit, clock, random, publicOrigin }: InvitationParts) {
  async function list(acting: Acting) {
    if (isPersonal(acting)) return listed([]);
    return listed((await store.invitations(acting.accountId, clock.now())).map(invitationView));
  }

  async function invite(acting: Acting, address: string, role: OrganizationRole) {
    refusePersonal(acting, 'The personal organization has no other members. Create an organization first.');
    if (role === 'owner') refuseRole('own', acting.role);
    const { accountId: organizationId } = acting;
    const email = normalizedEmail(address);
    const members = await store.members(organizationId);
    if (members.some((member) => member.email === email))
      throw new ServiceError('INVALID_STATE', 'A member of the organization has this address.');
    const id = invitationIdOf(organizationId, email);
    refuseFull(await current(acting), id);
    await enforceMailLimit(organizationId, email);
    return untilDone(async (tries) => {
      const { organization, member: actor } = await current(acting);
      const now = clock.now();
      if (tries > 0) {
        refuseRole(accessTo(role), actor.role);
        const earlier = (await store.invitations(organizationId, now)).find((one) => one.id === id);
        if (earlier) refuseRole(accessTo(earlier.role), actor.role);
      }
      refuseFull({ organization }, id);
      const { text, digest } = issueCredential('invitation', organizationId, random);
      const invitation = { id, email, role, invitedBy: acting.account.id, digest, expiresAt: now + lifetimeMs };
      const link = `${publicOrigin}/invitation?token=${text}#email=${encodeURIComponent(email)}`;
      const content = invitationMail({ organization, inviter: acting.account, role, email }, link);
      const mail = { id: newRequestId(random), to: email, ...content };
      return (await store.invite(organization, invitation, mail, actorOf({ ...acting, role: actor.role }), now))
        ? invitationView(invitation)
        : undefined;
    });
  }

  async function current({ accountId, account }: Acting) {
    const membership = await store.membership(accountId, account.id);
    if (!membership || !isAlive(membership)) throw unknownOrganization();
    return membership;
  }

  function refuseFull({ organization: { open } }: { readonly organization: Organization }, id: string): void {
    const now = clock.now();
    const others = [...open].filter(([key, expiresAt]) => expiresAt > now && key !== id);
    if (others.length < limits.openInvitations) return;
    const detail = `An organization can have at most ${limits.openInvitations} open invitations. Withdraw one first.`;
    throw new ServiceError('INVALID_STATE', detail);
  }

  async function withdraw({ accountId, role }: Acting, id: string): Promise<void> {
    await untilDone(async () => {
      const invitation = (await store.invitations(accountId, clock.now())).find((one) => one.id === id);
      if (!invitation) throw new ServiceError('NOT_FOUND', 'There is no such open invitation.');
      refuseRole(accessTo(invitation.role), role);
      return (await store.withdraw(accountId, invitation)) || undefined;
    });
  }

  /** Requires a confirmed account, because anybody can register with any address. */
  async function accept(account: Account, token: string) {
    const credential = parseCredential(token);
    if (credential?.kind !== 'invitation') throw endedInvitation();
    const { accountId: organizationId, digest } = credential;
    return untilDone(async (tries) => {
      const now = clock.now();
      const [organization, open] = await Promise.all([
        store.find(organizationId),
        store.invitations(organizationId, now),
      ]);
      const invitation = open.find((one) => one.digest === digest);
      if (!organization || organization.deletedAt !== undefined || !invitation) throw endedInvitation();
      if (invitation.email !== account.email) {
        const detail = 'The invitation is for another address. Sign in with the address that received it.';
        throw new ServiceError('INSUFFICIENT_PERMISSIONS', detail);
      }
      const inviter = (await store.membership(organizationId, invitation.invitedBy))?.member;
      if (!inviter || !mayAccess(accessTo(invitation.role), inviter.role)) throw endedInvitation();
      if (tries > 0) await refuseJoining(organization, account);
      const isDone = await store.accept(organizationId, invitation, inviter, account, now);
      return isDone ? { organizationId, role: invitation.role } : undefined;
    });
  }

  async function refuseJoining({ id, members }: Organization, account: Account): Promise<void> {
    if (await store.membership(id, account.id))
      throw new ServiceError('INVALID_STATE', 'You are already a member of the organization.');
    if (members >= limits.organizationMembers) {
      const detail = `The organization has ${limits.organizationMembers} members, which is the maximum.`;
      throw new ServiceError('INVALID_STATE', detail);
    }
    if ((await store.count(account.id)) >= limits.organizations) throw tooManyOrganizations();
  }

  return { list, invite, withdraw, accept };
}

/** Only owners invite owners, and replace or withdraw their invitations. */
const accessTo = (role: OrganizationRole) => (role === 'owner' ? 'own' : 'manage');

/** The same for used, withdrawn, replaced, expired and unknown tokens, and those of members who may not invite now. */
const endedInvitation = () =>
  new ServiceError('NOT_FOUND', 'The invitation was used, withdrawn or replaced, or has expired. Ask for a new one.');

function invitationIdOf(organizationId: number, email: string): string {
  return createHash('sha256').update(`${organizationId} ${email}`).digest('base64url').slice(0, 22);
}

interface InvitationFacts {
  readonly organization: Pick<Organization, 'name'>;
  readonly inviter: Pick<Account, 'name' | 'email' | 'language'>;
  readonly role: OrganizationRole;
  readonly email: string;
}

const roleNames: Readonly<Record<OrganizationRole, Phrase>> = {
  owner: en`owner`,
  admin: en`admin`,
  developer: en`developer`,
  viewer: en`viewer`,
  billing: en`billing`,
};

function invitationMail({ organization, inviter, role, email }: InvitationFacts, link: string) {
  return emailContent({
    subject: en`You are invited to ${{ organization: organization.name }}`,
    to: { name: '', ...(inviter.language && { language: inviter.language }) },
    body: en`${{ sender: senderOf(inviter) }} invites you to join the organization ${{ organization: organization.name }} with the role ${{ role: roleNames[role] }}. To accept, sign in or register with ${{ email }}. The link works once and for 7 days.`,
    action: en`Join the organization`,
    link,
    footer: en`If you do not know the sender, you can ignore this email.`,
  });
}
