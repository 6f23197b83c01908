import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { findPlan, planOfRank, titleOf } from '#contract/billing/plans.ts';
import { alertMail, planChangedMail, planEndMail } from '#domain/accounts/billing-mails.ts';
import { addresseeOf, wantsMail } from '#domain/accounts/mail-preferences.ts';
import { type Alert, nameOfAlert } from '#domain/alerts/alerts.ts';
import { cancellationGraceSeconds } from '#domain/billing/grants.ts';
import type { LedgerRow, LedgerStore, PlanChange, PlanEnd } from '#domain/billing/ledger.ts';
import type { Recipient } from '#domain/organizations/organization.ts';
import { planEndedUnpaidMail } from '#domain/payments/mails.ts';
import { en } from '#domain/shared/phrases.ts';
import { apiKeyKey } from '../accounts/account-items.ts';
import { mailsTo, recipientsOf } from '../accounts/recipients.ts';
import { storedKeyOf } from '../keys/keys.ts';
import { conditionally } from '../shared/conditional.ts';
import { inserter } from '../shared/insert.ts';
import { readItem } from '../shared/read-items.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import { addition, dayTotals, isCharged, uncounted, usageCounter, archiveKey, rowKey } from './ledger-items.ts';

export interface LedgerTables {
  readonly ledger: string;
  readonly accounts: string;
}

/** Per account and day (UTC). Rules can be changed in a loop, and one call can trigger 20. */
const maxAlertsPerDay = 100;

const markEveryMs = 60_000;
const maxMarks = 10_000;

/** `publicOrigin`: base URL of links in emails. `sellsCredits`: whether emails about used credits link to packs. */
export function ledgerStore(
  client: DynamoDBDocumentClient,
  tables: LedgerTables,
  publicOrigin: string,
  sellsCredits = false,
): LedgerStore {
  const isNew = { ConditionExpression: 'attribute_not_exists(a)' };
  const insert = inserter(client, tables.ledger);
  const counter = usageCounter(client, tables.ledger);
  const marks = new Map<string, number>();

  async function append({ accountId, seq, ...row }: LedgerRow, mayBeArchived = false): Promise<void> {
    const Item = { ...rowKey(accountId, seq), seq, ...row };
    const written = { Put: { TableName: tables.ledger, Item, ...isNew } };
    const totals = isCharged(row) ? dayTotals([{ accountId, seq, ...row }]) : [];
    await commit(client, [
      written,
      ...totals.map((total) => addition(tables.ledger, accountId, total)),
      ...(mayBeArchived ? [notArchived(accountId, seq)] : []),
    ]);
  }

  /** Needed only for closed months, whose rows a replay may deliver again, because the check costs two write units. */
  function notArchived(accountId: number, seq: number): TransactItem {
    return {
      ConditionCheck: {
        TableName: tables.ledger,
        Key: archiveKey(accountId),
        ConditionExpression: 'attribute_not_exists(through) OR through < :seq',
        ExpressionAttributeValues: { ':seq': seq },
      },
    };
  }

  /** At most once a minute for each key and process, because it costs as much as the row. */
  async function markKeyUsed(accountId: number, keyId: string, at: number): Promise<void> {
    if (at < (marks.get(keyId) ?? 0) + markEveryMs) return;
    const write = new UpdateCommand({
      TableName: tables.accounts,
      Key: apiKeyKey(accountId, keyId),
      UpdateExpression: 'SET lastUsedAt = :at',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(lastUsedAt) OR lastUsedAt < :at)',
      ExpressionAttributeValues: { ':at': at },
    });
    await conditionally(client.send(write));
    if (marks.size >= maxMarks) marks.clear();
    marks.set(keyId, at);
  }

  async function announce(alert: Alert): Promise<void> {
    const { accountId, rule, period, keyId, at, channels } = alert;
    const sk = `event#${period}#${nameOfAlert(alert)}`;
    const event = { Put: { TableName: tables.ledger, Item: { a: accountId, sk, at }, ...isNew } };
    const events = [event, countedAlert(accountId, at)];
    const recipients = channels.includes('email')
      ? await recipientsOf(client, tables.accounts, accountId, 'manage')
      : [];
    if (recipients.length === 0) {
      await commit(client, events);
      return;
    }
    const key = keyId === undefined ? undefined : await readItem(client, tables.accounts, apiKeyKey(accountId, keyId));
    const facts = { rule, key: key && storedKeyOf(key), publicOrigin, sellsCredits };
    const id = `usage-${accountId}-${period}-${nameOfAlert(alert)}`;
    const content = (to: Recipient) => alertMail(addressee(to), facts);
    await commit(client, [
      ...events,
      ...mailsTo(tables.accounts, accountId, recipients, { id, at: at * 1000, content }),
    ]);
  }

  async function announceEnd(accountId: number, { plan: name, from, at }: PlanEnd): Promise<void> {
    const plan = findPlan(name);
    const next = plan?.end && planOfRank(plan.end.rank);
    const recipients = await recipientsOf(client, tables.accounts, accountId, 'bill');
    if (!plan || !next || recipients.length === 0) return;
    const once = `plan-end-${plan.name}-${from}`;
    const end = {
      plan: titleOf(plan),
      next: titleOf(next),
      price: { usd: Math.round((next.price ?? 0) * 100) },
      credits: next.creditsPerMonth === null ? en`unlimited credits` : en`${{ credits: next.creditsPerMonth }} credits`,
      from: new Date(from * 1000).toISOString().slice(0, 10),
    };
    const id = `${once}-${accountId}`;
    const content = (to: Recipient) => planEndMail(addressee(to), end, `${publicOrigin}/plans`);
    const event = { Put: { TableName: tables.ledger, Item: { a: accountId, sk: `event#${once}`, at }, ...isNew } };
    await commit(client, [event, ...mailsTo(tables.accounts, accountId, recipients, { id, at: at * 1000, content })]);
  }

  async function announceUnpaid(accountId: number, { plan: name, from, at }: PlanEnd): Promise<void> {
    const plan = findPlan(name);
    const recipients = await recipientsOf(client, tables.accounts, accountId, 'bill');
    if (!plan || recipients.length === 0) return;
    const creditsUntil = new Date((from + cancellationGraceSeconds) * 1000).toISOString().slice(0, 10);
    const facts = { plan: titleOf(plan), creditsUntil };
    const id = `plan-unpaid-${accountId}-${from}`;
    const content = (to: Recipient) => planEndedUnpaidMail(addressee(to), facts, `${publicOrigin}/plans`);
    await commit(client, mailsTo(tables.accounts, accountId, recipients, { id, at: at * 1000, content }));
  }

  async function announceChange(accountId: number, { kind, plan: name, effectiveAt, seq, at, now }: PlanChange) {
    const plan = findPlan(name);
    if (!plan) return;
    const on = new Date((effectiveAt ?? at) * 1000).toISOString().slice(0, 10);
    const kindOfMail = kind === 'renewed' ? 'renewals' : 'planChanges';
    const members = await recipientsOf(client, tables.accounts, accountId, 'bill');
    const recipients = members.filter((to) => wantsMail(to, kindOfMail));
    const content = (to: Recipient) =>
      planChangedMail(addressee(to), { kind, plan: titleOf(plan), on }, `${publicOrigin}/plans`);
    const id = `plan-${kind}-${accountId}-${seq}`;
    const mails = mailsTo(tables.accounts, accountId, recipients, { id, at: now, content });
    if (mails.length > 0) await commit(client, mails);
  }

  const addressee = (to: Recipient) => addresseeOf(to, publicOrigin);

  function countedAlert(accountId: number, at: number): TransactItem {
    const date = new Date(at * 1000).toISOString().slice(0, 10);
    return {
      Update: {
        TableName: tables.ledger,
        Key: { a: accountId, sk: `alerts#${date}` },
        UpdateExpression: 'ADD alerts :one',
        ConditionExpression: 'attribute_not_exists(alerts) OR alerts < :max',
        ExpressionAttributeValues: { ':one': 1, ':max': maxAlertsPerDay },
      },
    };
  }

  return {
    append,
    insert: (rows) =>
      insert(
        rows.map(({ accountId, seq, ...row }) => {
          return { ...rowKey(accountId, seq), seq, ...row, ...(isCharged(row) && uncounted) };
        }),
      ),
    count: (accountId) => counter.count(accountId),
    markKeyUsed,
    announce,
    announceChange,
    announceEnd,
    announceUnpaid,
  };
}
