import * as v from 'valibot';
import { email } from '../accounts/email.ts';
import { personName } from '../accounts/names.ts';
import { accountId, idInText, instant, text } from '../shared/fields.ts';
import { organizationRoles } from './roles.ts';

const body = 'must be a JSON object';
const role = v.picklist(
  organizationRoles,
  `must be ${organizationRoles.slice(0, -1).join(', ')} or ${organizationRoles.at(-1)}`,
);

/** Emails to other people contain it, so the rules are those of names of people. */
export const NewOrganization = v.object({ name: personName }, body);
export const OrganizationPath = v.object({ id: idInText });
export const MemberPath = v.object({ id: idInText, userId: idInText });
export const InvitationPath = v.object({ id: idInText, invitationId: text(64) });
export const RoleChange = v.object({ role }, body);
export const MemberQuery = v.object({
  revokeKeys: v.pipe(
    v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
    v.description('Whether to revoke the keys that the member created.'),
  ),
});
export const NewInvitation = v.object({ email, role }, body);
export const SecondFactorRule = v.object({ required: v.boolean('must be true or false') }, body);
export const InvitationAcceptance = v.object({ token: text(200) }, body);

/** `role`: that of the signed-in person. The personal organization has the id of the account. */
export const Organization = v.object({
  id: accountId,
  name: v.string(),
  role: v.picklist(organizationRoles),
  createdAt: instant,
  requiresSecondFactor: v.boolean(),
});

/** Complete: the limits of an organization fit one page. */
const listOf = <Item extends v.GenericSchema>(item: Item) => v.object({ items: v.array(item), nextCursor: v.null() });

export const OrganizationList = listOf(Organization);

/**
 * `hasSecondFactor`: an authenticator app is on. Each of both satisfies an organization that requires a second factor.
 */
export const Member = v.object({
  userId: accountId,
  name: v.string(),
  email: v.string(),
  role: v.picklist(organizationRoles),
  joinedAt: instant,
  hasSecondFactor: v.boolean(),
  hasPasskey: v.boolean(),
});
export const MemberList = listOf(Member);

export const Invitation = v.object({
  id: v.string(),
  email: v.string(),
  role: v.picklist(organizationRoles),
  expiresAt: instant,
});
export const InvitationList = listOf(Invitation);

export const AcceptedInvitation = v.object({ organizationId: accountId, role: v.picklist(organizationRoles) });
