import * as v from 'valibot';
import { maxCredits, serviceNames } from '../billing/prices.ts';
import { knownModels, models } from '../inference/models.ts';
import { accountId, instant, integer, text, timestamp, whole } from '../shared/fields.ts';
import { limitPeriods } from '../shared/limits.ts';
import { keyName } from './names.ts';

const KeyLimit = v.object(
  {
    credits: integer(1, maxCredits),
    period: v.picklist(limitPeriods, `must be ${limitPeriods.slice(0, -1).join(', ')} or ${limitPeriods.at(-1)}`),
  },
  'must be a JSON object or null',
);
export type KeyLimit = v.InferOutput<typeof KeyLimit>;

/** `known` restricts the names at the time of the request. */
const listOf = <const Name extends string>(names: readonly Name[], known: () => readonly string[] = () => names) => {
  const message = () => `must be one of ${known().join(', ')}`;
  const name = v.pipe(
    v.picklist(names, message),
    v.check((given) => known().includes(given), message),
  );
  return v.pipe(
    v.array(name, 'must be a list or null'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(names.length, `must have at most ${names.length} entries`),
    v.check((list) => new Set(list).size === list.length, 'must not have duplicates'),
  );
};

const modelIds = models.map(({ id }) => id);

/** Null is equivalent to an absent field. */
const restrictions = {
  limit: v.optional(v.nullable(KeyLimit)),
  models: v.optional(v.nullable(listOf(modelIds, () => knownModels().map(({ id }) => id)))),
  services: v.optional(v.nullable(listOf(serviceNames))),
};

export const KeyLimits = v.object(restrictions);

export const NewKey = v.object(
  { name: keyName, expiresAt: v.optional(v.nullable(timestamp)), ...restrictions },
  'must be a JSON object',
);
export const KeyChange = v.object(
  {
    name: v.optional(keyName),
    status: v.optional(v.picklist(['active', 'suspended'], 'must be active or suspended')),
    expiresAt: v.optional(v.nullable(timestamp)),
    ...restrictions,
  },
  'must be a JSON object',
);
const graceSeconds = v.pipe(
  integer(0, 604_800),
  v.description('Seconds for which the old key remains valid, at most 7 days.'),
);
export const KeyRotation = v.optional(
  v.object({ graceSeconds: v.optional(graceSeconds, 0) }, 'must be a JSON object'),
  {},
);
export const KeyPath = v.object({ id: text(64) });

/** `unreadable`: the stored record of the key is invalid. Such a key can only be revoked. */
const keyStatuses = ['active', 'suspended', 'revoked', 'expired', 'unreadable'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/**
 * `used` in credits of the current period, with six decimals, including credits held by running calls. `resetsAt` is
 * null for a total.
 */
const LimitStanding = v.object({
  credits: whole,
  period: v.picklist(limitPeriods),
  used: v.number(),
  resetsAt: v.nullable(instant),
});

const described = {
  id: v.string(),
  name: v.string(),
  prefix: v.string(),
  status: v.picklist(keyStatuses),
  createdAt: instant,
  createdBy: v.pipe(v.nullable(accountId), v.description('Id of the person who created it; null if unknown.')),
  expiresAt: v.nullable(instant),
  limit: v.nullable(LimitStanding),
  models: v.nullable(v.array(v.string())),
  services: v.nullable(v.array(v.string())),
  contentDays: v.pipe(
    v.nullable(whole),
    v.description('Days for which prompts and responses of its calls are stored; null if they are not.'),
  ),
};

/** A key as listed. The key itself is never stored. `createdAt` is null only if the key is unreadable. */
export const KeyRecord = v.object({
  ...described,
  suspendedByOperator: v.pipe(v.boolean(), v.description('Whether an operator suspended it: it can only be revoked.')),
  createdAt: v.nullable(instant),
  lastFour: v.string(),
  lastUsedAt: v.nullable(instant),
});
export const KeyList = v.array(KeyRecord);

/** The only response that contains the key. */
export const CreatedKey = v.object({
  ...described,
  key: v.pipe(v.string(), v.description('The key itself; it is not shown again.')),
});
