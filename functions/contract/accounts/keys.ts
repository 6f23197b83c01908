import * as v from 'valibot';
import { instant, integer, text, timestamp } from '../shared/fields.ts';
import { keyName } from './names.ts';

export const NewKey = v.object(
  { name: keyName, expiresAt: v.optional(v.nullable(timestamp)) },
  'must be a JSON object',
);
export const KeyChange = v.object(
  {
    name: v.optional(keyName),
    status: v.optional(v.picklist(['active', 'suspended'], 'must be active or suspended')),
    expiresAt: v.optional(v.nullable(timestamp)),
  },
  'must be a JSON object',
);
const graceSeconds = v.pipe(
  integer(0, 604_800),
  v.description('How long the old key goes on working, at most 7 days.'),
);
export const KeyRotation = v.optional(
  v.object({ graceSeconds: v.optional(graceSeconds, 0) }, 'must be a JSON object'),
  {},
);
export const KeyPath = v.object({ id: text(64) });

/** `unreadable`: what is stored of the key cannot be read; it can only be revoked. */
const keyStatuses = ['active', 'suspended', 'revoked', 'expired', 'unreadable'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

const described = {
  id: v.string(),
  name: v.string(),
  prefix: v.string(),
  status: v.picklist(keyStatuses),
  createdAt: instant,
  expiresAt: v.nullable(instant),
};

/** A key as lists show it; the key itself is never stored. `createdAt` is null only where the key is unreadable. */
export const KeyRecord = v.object({
  ...described,
  createdAt: v.nullable(instant),
  lastFour: v.string(),
  lastUsedAt: v.nullable(instant),
});
export const KeyList = v.array(KeyRecord);

/** The only response that carries the key. */
export const CreatedKey = v.object({
  ...described,
  key: v.pipe(v.string(), v.description('The key itself; it is not shown again.')),
});
