import * as v from 'valibot';
import { organizationRoles } from '#contract/organizations/roles.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { Actor, Member, Organization } from '#domain/organizations/organization.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { memberKey, organizationKey, storedInstant, userKey } from './account-items.ts';

/** Rows of organizations, and further keys. An organization has the partition that an account of its id would have. */
export const invitationPrefix = 'invitation#';
export const invitationKey = (id: number, invitation: string) => ({
  pk: userKey(id).pk,
  sk: `${invitationPrefix}${invitation}`,
});
/** Index of a person's organizations, in the person's partition. */
export const membershipPrefix = 'organization#';
export const membershipKey = (userId: number, id: number) => ({
  pk: userKey(userId).pk,
  sk: `${membershipPrefix}${id}`,
});

const Row = v.object({
  id: v.number(),
  name: v.string(),
  createdAt: storedInstant,
  owners: v.number(),
  members: v.number(),
  open: v.pipe(
    v.record(v.string(), v.number()),
    v.transform((open): ReadonlyMap<string, number> => new Map(Object.entries(open))),
  ),
  secondFactorRequiredAt: v.exactOptional(v.number()),
  suspendedAt: v.exactOptional(v.number()),
  deletedAt: v.exactOptional(v.number()),
});

export const organizationOf = (row: unknown): Organization => v.parse(Row, row);

/** Converts an organization to the account that operators see. `email`: its oldest owner's, or empty. */
export const operatedOrganization = (row: unknown, email = ''): Account => {
  const { id, name, createdAt, suspendedAt, deletedAt } = organizationOf(row);
  return {
    id,
    name,
    email,
    role: 'viewer',
    createdAt,
    confirmedAt: createdAt,
    ...(suspendedAt !== undefined && { suspendedAt }),
    ...(deletedAt !== undefined && { deletedAt }),
  };
};

export const organizationRow = ({ open, ...organization }: Organization) => {
  return { ...organizationKey(organization.id), ...organization, open: Object.fromEntries(open) };
};

export const MemberRow = v.object({ userId: v.number(), role: v.picklist(organizationRoles), joinedAt: storedInstant });

export const memberRow = (id: number, member: Member) => ({ ...memberKey(id, member.userId), ...member });
export const membershipRow = (id: number, { userId, joinedAt }: Member) => {
  return { ...membershipKey(userId, id), organizationId: id, joinedAt };
};

export const InvitationRow = v.object({
  id: v.string(),
  email: v.string(),
  role: v.picklist(organizationRoles),
  invitedBy: v.number(),
  digest: v.string(),
  expiresAt: storedInstant,
});

/** Sets a member's role to `next`. Fails if the role has changed. Without `next`, only checks it. */
export function roleUpdate(TableName: string, id: number, { userId, role }: Actor, next = role): TransactItem {
  return {
    Update: {
      TableName,
      Key: memberKey(id, userId),
      UpdateExpression: 'SET #role = :next',
      ConditionExpression: '#role = :role',
      ExpressionAttributeNames: { '#role': 'role' },
      ExpressionAttributeValues: { ':role': role, ':next': next },
    },
  };
}

interface OrganizationUpdate {
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  readonly conditions?: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** An update of an organization, deleted or not. */
export function organizationUpdate(table: string, id: number, update: OrganizationUpdate): TransactItem {
  const { set = [], remove = [], conditions = [], names, values } = update;
  return {
    Update: {
      TableName: table,
      Key: organizationKey(id),
      UpdateExpression: [
        ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
        ...(remove.length > 0 ? [`REMOVE ${remove.join(', ')}`] : []),
      ].join(' '),
      ConditionExpression: ['attribute_exists(pk)', ...conditions].join(' AND '),
      ...(names && { ExpressionAttributeNames: names }),
      ...(values && { ExpressionAttributeValues: values }),
    },
  };
}
