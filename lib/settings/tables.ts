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
});
