import type { KeyStatus } from '#contract/accounts/keys.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { lastInstant } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import type { KeyEvent } from '../meter/meter.ts';
import { issueCredential } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { KeyBudgets, KeyCreator, KeyNotice } from './key-service.ts';
import {
  createdKeyView,
  expiryOf,
  hasEnded,
  isReadable,
  type KeyLimitChanges,
  type KeyRecord,
  type KeyStore,
  type KeyWrite,
  removeSurplus,
  keyView,
  statusOf,
  type StoredKey,
  type UnreadableKey,
  withLimits,
} from './key.ts';

/** `tai_`, the account reference shared by the account's keys, and the first four characters of the secret. */
const prefixCharacters = 17;

export function issueKey(
  accountId: number,
  about: Omit<KeyRecord, 'id' | 'prefix' | 'lastFour' | 'status' | 'revision'>,
  random: Random,
): { record: KeyRecord; key: string } {
  const { text: key, digest: id } = issueCredential('key', accountId, random);
  const record: KeyRecord = {
    id,
    ...about,
    prefix: key.slice(0, prefixCharacters),
    lastFour: key.slice(-4),
    status: 'active',
    revision: 1,
  };
  return { record, key };
}

/** `expiresAt` in ISO 8601; null means never. */
export interface KeyChanges extends KeyLimitChanges {
  readonly name?: string | undefined;
  readonly expiresAt?: string | null | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
}

export function changedKey(record: KeyRecord, changes: KeyChanges, now: number): KeyRecord {
  refuseEnded(record);
  if (record.suspendedByOperator && changes.status === 'active') {
    throw new ServiceError('INVALID_STATE', 'The key was suspended by an operator. Create a new one.');
  }
  const { expiresAt, ...rest } = record;
  const kept = expiresAt !== undefined && { expiresAt };
  const changed = {
    ...rest,
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.status && { status: changes.status }),
    ...(changes.expiresAt === undefined ? kept : expiryOf(changes.expiresAt)),
  };
  const revives = hasEnded(record, now) && !hasEnded(changed, now);
  if (revives && record.limit && changes.limit === undefined)
    throw new ServiceError(
      'INVALID_STATE',
      'The key has expired, and its spending may no longer be known; send limit as well.',
    );
  return withLimits(changed, changes);
}

/** Applies to later calls. `days` null: their prompts and responses are not stored. */
export function withContentDays(record: KeyRecord, days: number | null): KeyRecord {
  refuseEnded(record);
  const { contentDays: _, ...rest } = record;
  return { ...rest, ...(days !== null && { contentDays: days }) };
}

function refuseEnded({ status }: KeyRecord): void {
  if (status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked. Create a new one.');
}

const maxTries = 5;

export function keyReviser(keys: KeyStore, budgets: KeyBudgets, enforceChangeLimit: EnforceChangeLimit, clock: Clock) {
  return async (
    accountId: number,
    id: string,
    edit: (record: KeyRecord, now: number) => KeyRecord,
    eventOf?: (before: KeyRecord, now: number) => AuditEvent,
  ) => {
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const before = await requireReadableKey(keys, accountId, id);
      const after = { ...edit(before, now), revision: before.revision + 1 };
      if (tries === 0) await enforceChangeLimit(accountId);
      const meter = await budgets.limitedMeter(accountId, [before, after]);
      const unused = await budgets.unusedAfter(accountId, { before, after }, { meter, now });
      const event = eventOf?.(before, now);
      const isEnd = after.status === 'revoked' && before.status !== 'revoked';
      const happened = isEnd && { keyEvent: keyEvent('revoked', id, now) };
      const outcome = await keys.change(accountId, after, { now, unused, ...(event && { event }), ...happened });
      if (outcome === 'changed meanwhile') continue;
      refuseUnlessDone(outcome);
      return keyView(after, { budgets: meter?.budgets ?? new Map(), now });
    }
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The key is being changed by another request. Try again.', {
      retryAfterSeconds: 1,
    });
  };
}

export type ReviseKey = ReturnType<typeof keyReviser>;

interface RotationParts {
  readonly keys: KeyStore;
  readonly budgets: Pick<KeyBudgets, 'budgetsOf'>;
  readonly enforceChangeLimit: EnforceChangeLimit;
  readonly noticeOf: KeyNotice;
  readonly clock: Clock;
  readonly random: Random;
}

/** Creates a key with the name, expiry and limits of an old one, which stays valid for `graceSeconds`. */
export function keyRotation({
  keys,
  budgets: { budgetsOf },
  enforceChangeLimit,
  noticeOf,
  clock,
  random,
}: RotationParts) {
  return async (creator: KeyCreator, id: string, graceSeconds: number, accountId = creator.id) => {
    const now = clock.now();
    const old = await requireReadableKey(keys, accountId, id);
    const status = statusOf(old, now);
    if (status !== 'active')
      throw new ServiceError('INVALID_STATE', `The key is ${status}; only an active key can be rotated.`);
    await enforceChangeLimit(accountId);
    const { record, key } = issueKey(accountId, { ...handedOn(old), createdAt: now, createdBy: creator.id }, random);
    const ending: KeyRecord =
      graceSeconds > 0
        ? { ...old, expiresAt: Math.min(old.expiresAt ?? lastInstant, now + graceSeconds * 1000) }
        : { ...old, status: 'revoked' };
    const written = { ...ending, revision: old.revision + 1 };
    const happened = {
      keyEvent: rotationEvent(ending, record.id, now),
      notice: await noticeOf(accountId, creator, record),
    };
    refuseUnlessDone(await keys.rotate(accountId, written, record, { now, ...happened }));
    await removeSurplus(keys, accountId, { stored: await keys.list(accountId), now });
    return createdKeyView(record, key, { budgets: await budgetsOf(accountId, [record]), now });
  };
}

function handedOn({ name, expiresAt, limit, budget, models, services, contentDays }: KeyRecord) {
  return {
    name,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(limit && { limit }),
    ...(budget && { budget }),
    ...(models && { models }),
    ...(services && { services }),
    ...(contentDays !== undefined && { contentDays }),
  };
}

type SuspensionEvent = (before: KeyStatus, after: KeyStatus) => AuditEvent;

interface EndParts {
  readonly keys: KeyStore;
  readonly revise: { readonly ofOwner: ReviseKey; readonly ofOperator: ReviseKey };
  readonly enforceChangeLimit: EnforceChangeLimit;
  readonly clock: Clock;
}

/** Revokes keys, and suspends them for operators. An unreadable key is revoked in both cases. */
export function keyEnds({ keys, revise, enforceChangeLimit, clock }: EndParts) {
  /** Idempotent, so that a retry does not fail. */
  async function revoke(accountId: number, id: string) {
    const key = await requireKey(keys, accountId, id);
    if (isReadable(key)) return revise.ofOwner(accountId, id, (record) => ({ ...record, status: 'revoked' }));
    await enforceChangeLimit(accountId);
    return revokeUnreadable(accountId, key);
  }

  /** Permanent: the owner cannot resume the key. `eventOf` receives the status before and after. */
  async function suspendByOperator(accountId: number, id: string, eventOf: SuspensionEvent) {
    const key = await requireKey(keys, accountId, id);
    refuseRevoked(key);
    if (!isReadable(key)) return revokeUnreadable(accountId, key, eventOf(key.status, 'revoked'));
    return revise.ofOperator(accountId, id, suspended, (before, now) => eventOf(statusOf(before, now), 'suspended'));
  }

  async function revokeUnreadable(accountId: number, key: UnreadableKey, event?: AuditEvent) {
    const now = clock.now();
    const happened = key.status !== 'revoked' && { keyEvent: keyEvent('revoked', key.id, now) };
    await keys.revokeUnreadable(accountId, key.id, { now, ...(event && { event }), ...happened });
    return keyView({ ...key, status: 'revoked' }, { budgets: new Map(), now });
  }

  return { revoke, suspendByOperator };
}

function suspended(record: KeyRecord): KeyRecord {
  refuseRevoked(record);
  if (record.suspendedByOperator) {
    throw new ServiceError('INVALID_STATE', 'The key was already suspended by an operator.');
  }
  return { ...record, status: 'suspended', suspendedByOperator: true };
}

/** Throws 429. Called once the change is known to be allowed. Operators are exempt. */
export type EnforceChangeLimit = (accountId: number) => Promise<void>;

async function requireKey(keys: KeyStore, accountId: number, id: string): Promise<StoredKey> {
  const key = await keys.find(accountId, id);
  if (!key) throw new ServiceError('NOT_FOUND', 'There is no such key.');
  return key;
}

async function requireReadableKey(keys: KeyStore, accountId: number, id: string): Promise<KeyRecord> {
  const key = await requireKey(keys, accountId, id);
  if (isReadable(key)) return key;
  throw new ServiceError('INVALID_STATE', 'The stored key cannot be read; revoke it and create a new one.');
}

function refuseRevoked({ status }: StoredKey): void {
  if (status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is already revoked.');
}

export function refuseUnlessDone(outcome: KeyWrite): void {
  if (outcome === 'too many active') throw tooMany(`${limits.activeKeys} active keys`);
  if (outcome === 'too many usable') throw tooMany(`${limits.usableKeys} active and suspended keys`);
  if (outcome === 'changed meanwhile')
    throw new ServiceError('INVALID_STATE', 'The key has changed. Get it again, then retry.');
}

function tooMany(keys: string): ServiceError {
  return new ServiceError('INVALID_STATE', `An account can have at most ${keys}. Revoke one first.`);
}

export function keyEvent(type: 'created' | 'revoked', keyId: string, now: number): KeyEvent {
  return { type, at: Math.floor(now / 1000), keyId };
}

function rotationEvent(ending: KeyRecord, keyId: string, now: number): KeyEvent {
  const { id: previousKeyId, status, expiresAt } = ending;
  const goesOn = status === 'active' && expiresAt !== undefined;
  const previousExpiresAt = goesOn && { previousExpiresAt: Math.ceil(expiresAt / 1000) };
  return { type: 'rotated', at: Math.floor(now / 1000), keyId, previousKeyId, ...previousExpiresAt };
}
