import { type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { Actor, Member, Membership, Organization, OrganizationStore } from '#domain/organizations/organization.ts';
import { newMeterRow } from '../meter/meter-item.ts';
import { each } from '../shared/deletion.ts';
import { readItem, readItems, readPrefix, readable } from '../shared/read-items.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import {
  accountOf,
  mailItems,
  memberKey,
  memberPrefix,
  organizationKey,
  purgeKey,
  seconds,
  uniqueRow,
  userKey,
} from './account-items.ts';
import { meterClosing } from './accounts.ts';
import {
  invitationKey,
  invitationPrefix,
  InvitationRow,
  memberRow,
  MemberRow,
  membershipKey,
  membershipPrefix,
  membershipRow,
  organizationOf,
  organizationRow,
  organizationUpdate,
  roleUpdate,
} from './organization-items.ts';

const Counted = v.object({ organizations: v.optional(v.number(), 0), passkeys: v.optional(v.number(), 0) });
const MembershipRow = v.object({ organizationId: v.number() });

const isOpen = 'attribute_not_exists(deletedAt)';

/** Concurrent transactions of a closing organization, all on different people. */
const concurrency = 8;

/** `metersTable` is read only when an organization is created or closed. */
export function organizationStore(
  client: DynamoDBDocumentClient,
  table: string,
  metersTable: () => string,
): OrganizationStore {
  const rowsOf = (pk: string, prefix: string) => readPrefix(client, table, pk, prefix);

  const memberRows = async (id: number): Promise<Member[]> =>
    readable(MemberRow, await rowsOf(organizationKey(id).pk, memberPrefix));

  /** The items that add a member, whose conditions limit the organizations of the person. */
  function joining(id: number, member: Member, account: { readonly email?: string } = {}): TransactItem[] {
    const conditions = [
      'attribute_exists(pk)',
      isOpen,
      'attribute_exists(confirmedAt)',
      '(attribute_not_exists(organizations) OR organizations < :max)',
      ...(account.email === undefined ? [] : ['email = :email']),
    ];
    return [
      putNew(table, memberRow(id, member)),
      { Put: { TableName: table, Item: membershipRow(id, member) } },
      {
        Update: {
          TableName: table,
          Key: userKey(member.userId),
          UpdateExpression: 'SET organizations = if_not_exists(organizations, :none) + :one',
          ConditionExpression: conditions.join(' AND '),
          ExpressionAttributeValues: {
            ':none': 0,
            ':one': 1,
            ':max': limits.organizations,
            ...(account.email !== undefined && { ':email': account.email }),
          },
        },
      },
    ];
  }

  function leaving(id: number, { userId, role }: Member): TransactItem[] {
    return [
      {
        Delete: {
          TableName: table,
          Key: memberKey(id, userId),
          ConditionExpression: '#role = :role',
          ExpressionAttributeNames: { '#role': 'role' },
          ExpressionAttributeValues: { ':role': role },
        },
      },
      { Delete: { TableName: table, Key: membershipKey(userId, id) } },
      {
        Update: {
          TableName: table,
          Key: userKey(userId),
          UpdateExpression: 'SET organizations = organizations - :one',
          ConditionExpression: 'organizations >= :one',
          ExpressionAttributeValues: { ':one': 1 },
        },
      },
    ];
  }

  /** Empty if the actor's own item is already in the transaction. */
  function actorCheck(id: number, actor: Actor, subject?: number): TransactItem[] {
    return actor.userId === subject ? [] : [roleUpdate(table, id, actor)];
  }

  async function find(id: number): Promise<Organization | undefined> {
    const row = await readItem(client, table, organizationKey(id));
    return row && organizationOf(row);
  }

  const create: OrganizationStore['create'] = async (organization, owner, { meter, entries }) =>
    commit(client, [
      putNew(table, organizationRow(organization)),
      ...joining(organization.id, owner),
      {
        Put: {
          TableName: metersTable(),
          Item: newMeterRow(meter, entries),
          ConditionExpression: 'attribute_not_exists(a)',
        },
      },
    ]);

  async function membership(id: number, userId: number): Promise<Membership | undefined> {
    const rows = await readItems(client, table, [organizationKey(id), memberKey(id, userId)]);
    const row = rows.find(({ sk }) => sk === 'organization');
    const [member] = readable(MemberRow, rows);
    return row && member && { organization: organizationOf(row), member };
  }

  const membershipsOf: OrganizationStore['membershipsOf'] = async (userId) => {
    const ids = readable(MembershipRow, await rowsOf(userKey(userId).pk, membershipPrefix));
    const keys = ids.flatMap(({ organizationId: id }) => [organizationKey(id), memberKey(id, userId)]);
    const rows = keys.length > 0 ? await readItems(client, table, keys) : [];
    return ids
      .flatMap(({ organizationId: id }) => {
        const own = rows.filter(({ pk }) => pk === organizationKey(id).pk);
        const row = own.find(({ sk }) => sk === 'organization');
        const [member] = readable(MemberRow, own);
        return row && member ? [{ organization: organizationOf(row), member }] : [];
      })
      .toSorted((one, other) => one.member.joinedAt - other.member.joinedAt);
  };

  const usersOf = (members: readonly Member[]) =>
    readItems(
      client,
      table,
      members.map(({ userId }) => userKey(userId)),
    );

  const named: OrganizationStore['named'] = async (members) => {
    const users = await usersOf(members);
    const people = new Map(users.map((row) => [accountOf(row).id, { ...accountOf(row), ...v.parse(Counted, row) }]));
    return members
      .flatMap((member) => {
        const person = people.get(member.userId);
        if (!person) return [];
        const { name, email, secondFactorAt, passkeys } = person;
        const hasSecondFactor = secondFactorAt !== undefined;
        return [{ ...member, name, email, hasSecondFactor, hasPasskey: passkeys > 0 }];
      })
      .toSorted((one, other) => one.joinedAt - other.joinedAt);
  };

  const members: OrganizationStore['members'] = async (id) => named(await memberRows(id));

  const notifyMembers: OrganizationStore['notifyMembers'] = async (id, setter, mailTo, now) => {
    const people = (await usersOf(await memberRows(id)))
      .map(accountOf)
      .filter(({ id: userId, deletedAt }) => userId !== setter && deletedAt === undefined);
    await each(people.values(), concurrency, async (account) => {
      await commit(client, mailItems(table, account.id, mailTo(account), now));
    });
  };

  const rename: OrganizationStore['rename'] = (id, name) =>
    commit(client, [
      organizationUpdate(table, id, {
        set: ['#name = :name'],
        conditions: [isOpen],
        names: { '#name': 'name' },
        values: { ':name': name },
      }),
    ]);

  const changeRole: OrganizationStore['changeRole'] = async (id, before, role, actor, notice) => {
    const gained = Number(role === 'owner') - Number(before.role === 'owner');
    const owners = organizationUpdate(table, id, {
      set: ['owners = owners + :gained'],
      conditions: [isOpen, 'owners > :left'],
      values: { ':gained': gained, ':left': gained < 0 ? 1 : 0 },
    });
    const change = [roleUpdate(table, id, before, role), owners, ...actorCheck(id, actor, before.userId)];
    if (!notice) return commit(client, change);
    const [to] = (await usersOf([before])).map(accountOf);
    return commit(client, [...change, ...(to ? mailItems(table, to.id, notice.mailTo(to), notice.now) : [])]);
  };

  const removeMember: OrganizationStore['removeMember'] = ({ id, deletedAt }, member, actor) => {
    const isOwner = member.role === 'owner';
    const counts = organizationUpdate(table, id, {
      set: ['members = members - :one', 'owners = owners - :owner'],
      conditions: [deletedAt === undefined ? `${isOpen} AND owners > :owner` : 'attribute_exists(deletedAt)'],
      values: { ':one': 1, ':owner': Number(isOwner) },
    });
    return commit(client, [...leaving(id, member), counts, ...actorCheck(id, actor, member.userId)]);
  };

  const invitations: OrganizationStore['invitations'] = async (id, now) => {
    const rows = readable(InvitationRow, await rowsOf(organizationKey(id).pk, invitationPrefix));
    return rows.filter(({ expiresAt }) => expiresAt > now).toSorted((one, other) => other.expiresAt - one.expiresAt);
  };

  const invite: OrganizationStore['invite'] = ({ id, open }, invitation, mail, actor, now) => {
    const expired = [...open].flatMap(([key, at]) => (at <= now && key !== invitation.id ? [key] : []));
    const names = Object.fromEntries(expired.map((key, index) => [`#e${index}`, key]));
    const place = organizationUpdate(table, id, {
      set: ['#open.#new = :at'],
      remove: expired.map((_, index) => `#open.#e${index}`),
      conditions: [
        isOpen,
        ...expired.map((_, index) => `#open.#e${index} <= :now`),
        '(attribute_exists(#open.#new) OR size(#open) < :max)',
      ],
      names: { '#open': 'open', '#new': invitation.id, ...names },
      values: {
        ':at': invitation.expiresAt,
        ':max': limits.openInvitations + expired.length,
        ...(expired.length > 0 && { ':now': now }),
      },
    });
    const Item = { ...invitationKey(id, invitation.id), ...invitation, ttl: seconds(invitation.expiresAt) };
    const sent = mailItems(table, id, mail, now);
    const isReplaceable = {
      ConditionExpression: 'attribute_not_exists(pk) OR #role <> :owner OR expiresAt <= :now',
      ExpressionAttributeNames: { '#role': 'role' },
      ExpressionAttributeValues: { ':owner': 'owner', ':now': now },
    };
    const put = { Put: { TableName: table, Item, ...(actor.role !== 'owner' && isReplaceable) } };
    return commit(client, [place, put, ...sent, ...actorCheck(id, actor)]);
  };

  const ending = (id: number, invitation: string, digest: string): TransactItem => ({
    Delete: {
      TableName: table,
      Key: invitationKey(id, invitation),
      ConditionExpression: 'digest = :digest',
      ExpressionAttributeValues: { ':digest': digest },
    },
  });

  const withdraw: OrganizationStore['withdraw'] = (id, invitation) =>
    commit(client, [
      ending(id, invitation.id, invitation.digest),
      organizationUpdate(table, id, {
        remove: ['#open.#id'],
        names: { '#open': 'open', '#id': invitation.id },
      }),
    ]);

  const accept: OrganizationStore['accept'] = (id, invitation, inviter, { id: userId, email }: Account, now) => {
    const isOwner = invitation.role === 'owner';
    return commit(client, [
      ending(id, invitation.id, invitation.digest),
      organizationUpdate(table, id, {
        set: ['members = members + :one', 'owners = owners + :owner'],
        remove: ['#open.#id'],
        conditions: [isOpen, 'members < :max'],
        names: { '#open': 'open', '#id': invitation.id },
        values: { ':one': 1, ':owner': Number(isOwner), ':max': limits.organizationMembers },
      }),
      ...joining(id, { userId, role: invitation.role, joinedAt: now }, { email }),
      ...actorCheck(id, inviter, userId),
    ]);
  };

  const close: OrganizationStore['close'] = async (id, { now, purgeAt, members: expected }) => {
    const isClosed = await commit(client, [
      organizationUpdate(table, id, {
        set: ['deletedAt = :now'],
        conditions: [isOpen, ...(expected === undefined ? [] : ['members = :members'])],
        values: { ':now': now, ...(expected !== undefined && { ':members': expected }) },
      }),
      meterClosing(metersTable(), id, 'deleted'),
      putNew(table, { ...uniqueRow(purgeKey(id, purgeAt), id), purgeAt }),
    ]);
    if (isClosed) await endMemberships(id);
    return isClosed;
  };

  /** Repeated by the purge, for what an interrupted request left. */
  async function endMemberships(id: number): Promise<void> {
    const rows = await memberRows(id);
    await each(rows.values(), concurrency, async (member) => void (await commit(client, leaving(id, member))));
  }

  async function count(userId: number): Promise<number> {
    return v.parse(Counted, (await readItem(client, table, userKey(userId))) ?? {}).organizations;
  }

  return {
    find,
    create,
    membershipsOf,
    membership,
    members,
    named,
    rename,
    notifyMembers,
    changeRole,
    removeMember,
    invitations,
    invite,
    withdraw,
    accept,
    close,
    endMemberships,
    count,
  };
}
