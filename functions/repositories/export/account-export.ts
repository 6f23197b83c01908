import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ExportItem, ExportKind } from '#contract/accounts/accounts.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { recordedHeaders } from '#contract/platform/request-record.ts';
import { type TableId, tables } from '#contract/platform/resources.ts';
import { isInstant } from '#contract/shared/fields.ts';
import { isJsonObject, parseJson } from '#contract/shared/json.ts';
import { iso } from '#contract/shared/time.ts';
import type { Source } from '#domain/accounts/export.ts';
import { mailIdOf, mailKey, userKey } from '../accounts/account-items.ts';
import { membershipPrefix } from '../accounts/organization-items.ts';
import { agentPartition, conversationPartition, idIn, indexPartition } from '../agents/agent-items.ts';
import { auditPartition } from '../operators/audited-writes.ts';
import { accountPartition, readItem } from '../shared/read-items.ts';

type Row = Record<string, unknown>;

interface Partition {
  readonly table: TableId;
  readonly key: string | number;
}

/** Exported items by prefix of their sort key. Only the listed fields, so that a new field exports no secret. */
interface Rule {
  readonly prefix: string;
  readonly kind?: ExportKind;
  readonly fields?: readonly string[];
  /** Further fields, computed or read. */
  readonly more?: (row: Row, sk: string) => Row | Promise<Row>;
  /** Partitions with the contents of the item. */
  readonly inner?: (sk: string) => readonly Partition[];
}

/** What other stores read: compressed or archived data, and files. */
export interface ExportReads {
  readonly response: (id: string) => Promise<unknown>;
  readonly transcript: (id: string) => Promise<unknown>;
  /** Name and role. Empty if the membership has ended. */
  readonly membership: (organizationId: number) => Promise<Row>;
}

const pageRows = 50;

const idField = (_: Row, sk: string): Row => ({ id: idIn(sk) });
const json = (value: unknown): unknown => (typeof value === 'string' ? parseJson(value) : value);
const credits = (value: unknown): number => (typeof value === 'number' ? value / microPerCredit : 0);

const userRules: readonly Rule[] = [
  {
    prefix: 'user',
    kind: 'account',
    fields: [
      'id',
      'email',
      'name',
      'role',
      'createdAt',
      'confirmedAt',
      'suspendedAt',
      'deletedAt',
      'identities',
      'secondFactorAt',
      'terms',
      'mailsOff',
      'language',
    ],
    more: ({ emailChange, passwordHash }) => ({
      hasPassword: passwordHash !== undefined,
      ...(isJsonObject(emailChange) && {
        emailChange: picked(emailChange, [
          'email',
          'requestedAt',
          'expiresAt',
          'oldConfirmedAt',
          'newConfirmedAt',
          'outcome',
        ]),
      }),
    }),
  },
  { prefix: 'former-email#', kind: 'former_email', fields: ['email', 'changedTo', 'changedAt'] },
  {
    prefix: 'session#',
    kind: 'session',
    fields: ['browser', 'system', 'country', 'byPasskey', 'createdAt', 'lastSeenAt', 'expiresAt'],
  },
  { prefix: 'device#', kind: 'device', fields: ['createdAt', 'lastUsedAt', 'expiresAt'] },
  { prefix: 'passkey#', kind: 'passkey', fields: ['name', 'credentialId', 'createdAt', 'lastUsedAt'] },
  {
    prefix: 'key#',
    kind: 'key',
    fields: [
      'id',
      'name',
      'prefix',
      'lastFour',
      'status',
      'suspendedByOperator',
      'createdAt',
      'expiresAt',
      'lastUsedAt',
      'limit',
      'models',
      'services',
      'contentDays',
    ],
  },
  { prefix: 'mail#', inner: (sk) => [{ table: 'accounts', key: mailKey(mailIdOf(sk)).pk }] },
];
const mailRules: readonly Rule[] = [
  {
    prefix: 'mail',
    kind: 'email',
    fields: ['to', 'subject', 'createdAt', 'outcome', 'closedAt', 'feedback', 'feedbackAt'],
  },
];

const requestRules: readonly Rule[] = [
  {
    prefix: '',
    kind: 'request',
    fields: ['route', 'status', 'code', 'keyId', 'latency', 'firstByte'],
    more({ cost, record }, sk) {
      const { headers, ...facts } = isJsonObject(record) ? record : {};
      const named = Object.entries(isJsonObject(headers) ? headers : {}).map(([name, value]) => [
        recordedHeaders[Number(name)] ?? name,
        value,
      ]);
      const [at, requestId] = sk.split('#');
      return { requestId, at, credits: credits(cost), ...facts, headers: Object.fromEntries(named) };
    },
  },
];

const auditRules: readonly Rule[] = [
  { prefix: '', kind: 'operator_action', fields: ['at', 'action', 'reason', 'requestId', 'before', 'after'] },
];

const webhookRules: readonly Rule[] = [
  {
    prefix: 'webhook#',
    kind: 'webhook',
    fields: ['url', 'events', 'description', 'status', 'disabledReason', 'createdAt'],
    more: idField,
  },
];

const agentFields = ['name', 'model', 'instructions', 'temperature', 'maxTokens', 'truncation', 'retentionDays'];
const ofAgent = (id: string): readonly Partition[] =>
  [agentPartition(id), indexPartition(id)].map((key) => ({ table: 'agents', key }));

const agentRules: readonly Rule[] = [
  {
    prefix: 'agent#',
    kind: 'agent',
    fields: [...agentFields, 'createdAt', 'updatedAt'],
    more: ({ functions }, sk) => ({ id: idIn(sk), functions: json(functions) }),
    inner: (sk) => ofAgent(idIn(sk)),
  },
];
const agentContentRules: readonly Rule[] = [
  { prefix: 'conversation#', inner: (sk) => [{ table: 'agents', key: conversationPartition(idIn(sk)) }] },
  { prefix: 'document#', kind: 'document', fields: ['name', 'status', 'bytes', 'createdAt'], more: idField },
];
const indexRules: readonly Rule[] = [
  {
    prefix: 'texts#',
    kind: 'document_text',
    more: ({ texts }, sk) => ({ documentId: sk.split('#')[1], texts: json(texts) }),
  },
];
const conversationRules: readonly Rule[] = [
  {
    prefix: 'message#',
    kind: 'conversation_message',
    fields: ['role', 'content', 'name', 'call', 'createdAt'],
    more: ({ pk, about }, sk) => ({ conversationId: idIn(String(pk)), place: Number(idIn(sk)), about: json(about) }),
  },
  {
    prefix: 'state',
    kind: 'conversation',
    fields: ['agentId', 'createdAt', 'updatedAt', 'expiresAt', 'summary'],
    more: ({ pk }) => ({ id: idIn(String(pk)) }),
  },
];

const messageRules: readonly Rule[] = [
  {
    prefix: 'message#',
    kind: 'message',
    fields: [
      'channel',
      'to',
      'text',
      'status',
      'failure',
      'country',
      'segments',
      'voice',
      'reference',
      'credits',
      'createdAt',
      'updatedAt',
    ],
    more: idField,
  },
];

const paymentRules: readonly Rule[] = [
  {
    prefix: 'order#',
    kind: 'payment',
    fields: [
      'id',
      'kind',
      'state',
      'planId',
      'packId',
      'cents',
      'chargedCents',
      'refundedCents',
      'credits',
      'createdAt',
      'paidAt',
      'receiptUrl',
      'invoiceUrl',
      'provider',
    ],
  },
  { prefix: 'profile', kind: 'billing_profile', fields: ['customer', 'subscription', 'declines', 'topUp'] },
];

/**
 * Partitions of an account, and the rules of their items. What no rule selects is not exported
 * (docs/security.md#not-in-the-export).
 */
export function exportSources(
  client: DynamoDBDocumentClient,
  table: (id: TableId) => string,
  accountId: number,
  reads: ExportReads,
): readonly Source[] {
  const responseRules: readonly Rule[] = [
    {
      prefix: 'resp_',
      kind: 'stored_response',
      // A response has several parts. The first one leads to all.
      more: async (_, sk) => (sk.endsWith('#0') ? { response: await reads.response(sk.slice(0, -2)) } : {}),
    },
  ];
  const membershipRule: Rule = {
    prefix: membershipPrefix,
    kind: 'organization',
    fields: ['joinedAt'],
    more: async (_, sk) => ({ id: Number(idIn(sk)), ...(await reads.membership(Number(idIn(sk)))) }),
  };
  const audioRules: readonly Rule[] = [
    {
      prefix: 'job#',
      kind: 'transcription',
      fields: ['status', 'language', 'timestamps', 'durationSeconds', 'createdAt', 'updatedAt', 'expiresAt'],
      more: async (_, sk) => ({ id: idIn(sk), transcript: await reads.transcript(idIn(sk)) }),
    },
    { prefix: 'upload#', kind: 'upload', fields: ['contentType', 'bytes', 'createdAt', 'expiresAt'], more: idField },
  ];
  const account = accountPartition(accountId);
  const roots: readonly (readonly [TableId, string | number, readonly Rule[]])[] = [
    ['accounts', userKey(accountId).pk, [...userRules, membershipRule]],
    ['requests', accountId, requestRules],
    ['audit', auditPartition(accountId), auditRules],
    ['webhooks', account, webhookRules],
    ['agents', account, agentRules],
    ['responses', account, responseRules],
    ['messages', account, messageRules],
    ['transcriptions', account, audioRules],
    ['payments', account, paymentRules],
  ];
  return roots.map(([id, key, rules]) => source({ table: id, key }, rules));

  function source(partition: Partition, rules: readonly Rule[]): Source {
    const { table: id, key } = partition;
    const hash = tables[id].partitionKey.name;
    const ruleOf = (sk: string) => rules.find(({ prefix }) => sk.startsWith(prefix));
    const within = (sk: string) => (ruleOf(sk)?.inner?.(sk) ?? []).map((one) => source(one, rulesOf(one)));
    return {
      async read(after) {
        const query = new QueryCommand({
          TableName: table(id),
          KeyConditionExpression: after === undefined ? '#hash = :key' : '#hash = :key AND sk > :after',
          ExpressionAttributeNames: { '#hash': hash },
          ExpressionAttributeValues: { ':key': key, ...(after !== undefined && { ':after': after }) },
          Limit: pageRows,
          ConsistentRead: true,
        });
        const { Items = [], LastEvaluatedKey } = await client.send(query);
        const rows = Items.map(async (row) => {
          const at = String(row['sk']);
          const rule = ruleOf(at);
          return { at, items: rule ? await itemsOf(rule, row, at) : [], inner: within(at) };
        });
        return { rows: await Promise.all(rows), isLast: LastEvaluatedKey === undefined };
      },
      async inner(at) {
        const row = at === '' ? undefined : await readItem(client, table(id), { [hash]: key, sk: at });
        return row ? within(at) : [];
      },
    };
  }
}

const contentRules: readonly (readonly [prefix: string, rules: readonly Rule[]])[] = [
  ['mail#', mailRules],
  ['agent#', agentContentRules],
  ['index#', indexRules],
  ['conversation#', conversationRules],
];

const rulesOf = ({ key }: Partition): readonly Rule[] =>
  contentRules.find(([prefix]) => String(key).startsWith(prefix))?.[1] ?? [];

async function itemsOf({ kind, fields = [], more }: Rule, row: Row, sk: string): Promise<ExportItem[]> {
  if (!kind) return [];
  const further = (await more?.(row, sk)) ?? {};
  const data = { ...further, ...picked(row, fields) };
  return Object.keys(data).length > 0 ? [{ kind, data: readableTimes(data) }] : [];
}

const picked = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]));

/** Replaces epoch ms in fields such as `createdAt` by ISO 8601. */
const readableTimes = (data: Row): Row =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (isJsonObject(value)) return [name, readableTimes(value)];
      const isTime = /(?:^at|At)$/.test(name) && typeof value === 'number' && isInstant(value);
      return [name, isTime ? iso(value) : value];
    }),
  );
