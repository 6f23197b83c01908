import { type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type OrganizationAccess, rolesByAccess } from '#contract/organizations/roles.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { MailContent } from '#domain/accounts/mail-layout.ts';
import { mailOf, type Recipient } from '#domain/organizations/organization.ts';
import { readItem, readItems, readPrefix, readable } from '../shared/read-items.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { accountOf, mailItems, memberPrefix, organizationKey, userKey } from './account-items.ts';
import { MemberRow, organizationOf } from './organization-items.ts';

/** Two items per email must fit a transaction with others. */
const maxRecipients = 20;

/**
 * The people who receive the emails about an account: its person, or the organization's members with these roles, the
 * oldest first. Money concerns `bill`, alerts and failures concern `manage`.
 */
export async function recipientsOf(
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  access: Extract<OrganizationAccess, 'bill' | 'manage'>,
): Promise<readonly Recipient[]> {
  const user = await readItem(client, table, userKey(accountId));
  if (user) return [accountOf(user)].filter(isOpen);
  const row = await readItem(client, table, organizationKey(accountId));
  if (!row) return [];
  const { name: organization, deletedAt } = organizationOf(row);
  if (deletedAt !== undefined) return [];
  const rows = await readPrefix(client, table, organizationKey(accountId).pk, memberPrefix);
  const roles: readonly string[] = rolesByAccess[access];
  const members = readable(MemberRow, rows)
    .filter(({ role }) => roles.includes(role))
    .toSorted(
      (one, other) => Number(other.role === 'owner') - Number(one.role === 'owner') || one.joinedAt - other.joinedAt,
    )
    .slice(0, maxRecipients);
  const keys = members.map(({ userId }) => userKey(userId));
  const users = keys.length > 0 ? (await readItems(client, table, keys)).map(accountOf) : [];
  return members.flatMap(({ userId }) => {
    const account = users.find(({ id }) => id === userId);
    return account && isOpen(account) ? [{ ...account, organization }] : [];
  });
}

const isOpen = ({ deletedAt }: Account): boolean => deletedAt === undefined;

/** The items of an email to each recipient with a content, in the history of the account. `at` in epoch ms. */
export const mailsTo = (
  table: string,
  accountId: number,
  recipients: readonly Recipient[],
  {
    id,
    at,
    content,
  }: { readonly id: string; readonly at: number; readonly content: (to: Recipient) => MailContent | undefined },
): TransactItem[] =>
  recipients.flatMap((to) => {
    const text = content(to);
    return text ? mailItems(table, accountId, mailOf(id, accountId, to, text), at) : [];
  });
