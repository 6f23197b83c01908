import * as v from 'valibot';

/** A table's name and, where functions follow it, its stream. */
const ExistingTable = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/, 'must be the name of a table')),
  streamArn: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^arn:[\w-]+:dynamodb:[^:]+:\d{12}:table\/[\w.-]+\/stream\/.+$/, 'must be the ARN of a stream'),
    ),
  ),
});
export type ExistingTable = v.InferOutput<typeof ExistingTable>;

const Followed = v.pipe(
  ExistingTable,
  v.check(({ streamArn }) => streamArn !== undefined, 'must have streamArn: functions follow its stream'),
);

export const ExistingTables = v.strictObject({
  accounts: v.optional(Followed),
  meters: v.optional(Followed),
  ledger: v.optional(ExistingTable),
  idempotency: v.optional(ExistingTable),
  requests: v.optional(ExistingTable),
  audit: v.optional(ExistingTable),
  webhooks: v.optional(ExistingTable),
  agents: v.optional(ExistingTable),
  messages: v.optional(Followed),
  transcriptions: v.optional(ExistingTable),
});

/** The destination of copies cannot be the vault Default (AWS "Creating backup copies across AWS accounts"). */
const Vault = v.pipe(
  v.string(),
  v.regex(/^arn:aws[\w-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'must be the ARN of a backup vault'),
  v.check((arn) => !arn.endsWith(':Default'), 'must not be the vault Default, whose key no other account can use'),
);

export const Backup = v.strictObject({
  /** Vault of another account or region that the copies go to; yours, and letting this account copy into it. */
  copyTo: Vault,
  /** How long copies are kept. */
  days: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1, 'must be 1 or more'),
    v.maxValue(36_500, 'must be 36500 or less'),
  ),
});

export interface Place {
  readonly account: string;
  readonly region: string;
}

/** Whether copies leave the account or the region of a stage. */
export const isElsewhere = ({ copyTo }: v.InferOutput<typeof Backup>, { account, region }: Place): boolean =>
  !copyTo.includes(`:backup:${region}:${account}:`);
