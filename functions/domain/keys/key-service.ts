import type { KeyStatus } from '#contract/accounts/keys.ts';
import { epochMs, lastInstant } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import type { KeyEvent, Meter } from '../meter/meter.ts';
import type { AuditEvent } from '../shared/audit-event.ts';
import { issueCredential } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  hasEnded,
  isReadable,
  type KeyLimitChanges,
  type KeyRecord,
  limitsOf,
  type StoredKey,
  statusOf,
  type UnreadableKey,
  withLimits,
} from './key-record.ts';
import type { KeyStore, KeyWrite } from './key-store.ts';
import { type Budgets, created, shown } from './shown-key.ts';

/** A new key; `expiresAt` in ISO 8601, null meaning never. */
interface NewKey extends KeyLimitChanges {
  readonly name: string;
  readonly expiresAt?: string | null | undefined;
}

/** What a caller may change about a key. */
export interface KeyChanges extends Omit<NewKey, 'name'> {
  readonly name?: string | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
}

const maxTries = 5;

/** An account that has more, from before there was a limit, loses them a hundred at a time. */
const maxRemoved = 100;

/** `tai_`, the account reference that all keys of an account share, and the first four characters of the secret. */
const shownCharacters = 17;

/** Refuses (429) an account that changes its keys too often. Operators may at any time. */
type DemandChange = (accountId: number) => Promise<void>;

type SuspensionEvent = (before: KeyStatus, after: KeyStatus) => AuditEvent;

export type KeyService = ReturnType<typeof keyService>;

interface KeyAccounts {
  readonly demandChange: DemandChange;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
}

/** The life of API keys (docs/design/accounts.md#keys and docs/design/accounts.md#key-endpoints). */
export function keyService(keys: KeyStore, { demandChange, findMeter }: KeyAccounts, clock: Clock, random: Random) {
  /** Refuses (400) an expiry that is past, which no schema can: none knows what time it is. */
  function checkExpiry(expiresAt: string | null | undefined): void {
    const { expiresAt: ms } = expiry(expiresAt);
    if (ms === undefined || ms > clock.now()) return;
    throw new ServiceError('INVALID_FORMAT', 'expiresAt must be a moment in the future.');
  }

  async function create(accountId: number, input: NewKey) {
    await demandChange(accountId);
    const now = clock.now();
    const meter = await limitedMeter(accountId, [input]);
    const before = await keys.list(accountId);
    const made = fresh(accountId, { name: input.name, createdAt: now, ...expiry(input.expiresAt) });
    const record = withLimits(made.record, input);
    const unused = meter ? unusedBudgets(meter, before, now) : [];
    const happened = { keyEvent: keyEvent('created', record.id, now) };
    refuseUnlessDone(await keys.create(accountId, record, { now, unused, ...happened }));
    await removeOldest(accountId, before, now);
    return created(record, made.key, { budgets: meter?.budgets ?? new Map(), now });
  }

  /** All that can still be used, and the newest of those that have ended; newest first. */
  async function list(accountId: number) {
    const now = clock.now();
    const stored = await keys.list(accountId);
    const surplus = new Set(surplusOf(stored, now));
    const records = stored.filter((key) => !surplus.has(key));
    const budgets = await budgetsOf(accountId, records.filter(isReadable));
    return records.toSorted(newestFirst).map((record) => shown(record, { budgets, now }));
  }

  /** What was spent of limits, read where one of the keys has any. */
  async function budgetsOf(accountId: number, limited: readonly KeyLimitChanges[]): Promise<Budgets> {
    return (await limitedMeter(accountId, limited))?.budgets ?? new Map();
  }

  /** The account's meter, read where one of the keys has a spending limit. */
  async function limitedMeter(accountId: number, limited: readonly KeyLimitChanges[]): Promise<Meter | undefined> {
    return limited.some(({ limit }) => limit) ? findMeter(accountId) : undefined;
  }

  async function change(accountId: number, id: string, changes: KeyChanges) {
    await demandChange(accountId);
    const { expiresAt } = expiry(changes.expiresAt);
    return revise(accountId, id, (record, now) => {
      if (record.status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked; create a new one.');
      if (record.suspendedByOperator && changes.status === 'active') {
        throw new ServiceError('INVALID_STATE', 'The key was suspended by an operator; create a new one.');
      }
      const { expiresAt: current, ...rest } = record;
      const changed = {
        ...rest,
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.status && { status: changes.status }),
        ...(changes.expiresAt === undefined
          ? current !== undefined && { expiresAt: current }
          : expiresAt !== undefined && { expiresAt }),
      };
      const revives = hasEnded(record, now) && !hasEnded(changed, now);
      if (revives && record.limit && changes.limit === undefined)
        throw new ServiceError(
          'INVALID_STATE',
          'The key has expired, and what it spent of its limit may be forgotten; send limit too.',
        );
      return withLimits(changed, changes);
    });
  }

  /** For good: the account's owner cannot resume it. One that cannot be read is revoked. `eventOf` is given its status before and after. */
  async function suspendByOperator(accountId: number, id: string, eventOf: SuspensionEvent) {
    const key = await existing(accountId, id);
    refuseRevoked(key);
    if (!isReadable(key)) return revokeUnreadable(accountId, key, eventOf(key.status, 'revoked'));
    const suspended = (record: KeyRecord): KeyRecord => {
      refuseRevoked(record);
      if (record.suspendedByOperator) {
        throw new ServiceError('INVALID_STATE', 'The key was suspended by an operator already.');
      }
      return { ...record, status: 'suspended', suspendedByOperator: true };
    };
    return revise(accountId, id, suspended, (before, now) => eventOf(statusOf(before, now), 'suspended'));
  }

  async function revokeUnreadable(accountId: number, key: UnreadableKey, event?: AuditEvent) {
    const now = clock.now();
    const happened = key.status !== 'revoked' && { keyEvent: keyEvent('revoked', key.id, now) };
    await keys.revokeUnreadable(accountId, key.id, { now, ...(event && { event }), ...happened });
    return shown({ ...key, status: 'revoked' }, { budgets: new Map(), now });
  }

  /** Revoking twice is fine: a retry must not fail. */
  async function revoke(accountId: number, id: string) {
    await demandChange(accountId);
    return revokeNow(accountId, id);
  }

  async function revokeNow(accountId: number, id: string) {
    const key = await existing(accountId, id);
    if (!isReadable(key)) return revokeUnreadable(accountId, key);
    return revise(accountId, id, (record) => ({ ...record, status: 'revoked' }));
  }

  /** A new key immediately; the old one goes on for `graceSeconds`. */
  async function rotate(accountId: number, id: string, graceSeconds: number) {
    await demandChange(accountId);
    const now = clock.now();
    const old = await readableKey(accountId, id);
    const status = statusOf(old, now);
    if (status !== 'active')
      throw new ServiceError('INVALID_STATE', `The key is ${status}; only an active key can be rotated.`);
    const { name, expiresAt, limit, budget, models, services } = old;
    const limits = {
      ...(limit && { limit }),
      ...(budget && { budget }),
      ...(models && { models }),
      ...(services && { services }),
    };
    const { record, key } = fresh(accountId, {
      name,
      createdAt: now,
      ...(expiresAt !== undefined && { expiresAt }),
      ...limits,
    });
    const ending: KeyRecord =
      graceSeconds > 0
        ? { ...old, expiresAt: Math.min(expiresAt ?? lastInstant, now + graceSeconds * 1000) }
        : { ...old, status: 'revoked' };
    const written = { ...ending, revision: old.revision + 1 };
    const happened = { keyEvent: rotation(ending, record.id, now) };
    refuseUnlessDone(await keys.rotate(accountId, written, record, { now, ...happened }));
    await removeOldest(accountId, await keys.list(accountId), now);
    return created(record, key, { budgets: await budgetsOf(accountId, [record]), now });
  }

  /** Budgets, as they were read before the keys, that no usable key has, and no running call gives back to; of many, some. */
  function unusedBudgets({ budgets, holds }: Meter, stored: readonly StoredKey[], now: number): string[] {
    const usable = stored.filter(isReadable).filter((key) => !hasEnded(key, now));
    const held = holds.values().map(({ budget }) => budget?.id);
    const inUse = new Set([...usable.map((key) => limitsOf(key).limit?.budget), ...held]);
    return [...budgets.keys()].filter((id) => !inUse.has(id)).slice(0, maxRemoved);
  }

  async function unusedAfter(accountId: number, after: KeyRecord, { meter, now }: { meter: Meter; now: number }) {
    if (meter.budgets.size === 0) return [];
    const others = (await keys.list(accountId)).filter(({ id }) => id !== after.id);
    return unusedBudgets(meter, [...others, after], now);
  }

  async function removeOldest(accountId: number, stored: readonly StoredKey[], now: number): Promise<void> {
    const surplus = surplusOf(stored, now).slice(0, maxRemoved);
    await Promise.all(surplus.map((key) => keys.remove(accountId, key)));
  }

  async function revise(
    accountId: number,
    id: string,
    edit: (record: KeyRecord, now: number) => KeyRecord,
    eventOf?: (before: KeyRecord, now: number) => AuditEvent,
  ) {
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const before = await readableKey(accountId, id);
      const after = { ...edit(before, now), revision: before.revision + 1 };
      const meter = await limitedMeter(accountId, [before, after]);
      const unused =
        meter && mayLeaveBudgets(before, after, now) ? await unusedAfter(accountId, after, { meter, now }) : [];
      const event = eventOf?.(before, now);
      const isEnd = after.status === 'revoked' && before.status !== 'revoked';
      const happened = isEnd && { keyEvent: keyEvent('revoked', id, now) };
      const outcome = await keys.change(accountId, after, { now, unused, ...(event && { event }), ...happened });
      if (outcome === 'changed meanwhile') continue;
      refuseUnlessDone(outcome);
      return shown(after, { budgets: meter?.budgets ?? new Map(), now });
    }
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The key is being changed by others; try again.', {
      retryAfterSeconds: 1,
    });
  }

  async function existing(accountId: number, id: string): Promise<StoredKey> {
    const key = await keys.find(accountId, id);
    if (!key) throw new ServiceError('NOT_FOUND', 'There is no such key.');
    return key;
  }

  async function readableKey(accountId: number, id: string): Promise<KeyRecord> {
    const key = await existing(accountId, id);
    if (isReadable(key)) return key;
    throw new ServiceError('INVALID_STATE', 'The stored key cannot be read; revoke it and create a new one.');
  }

  function fresh(
    accountId: number,
    about: Omit<KeyRecord, 'id' | 'prefix' | 'lastFour' | 'status' | 'revision'>,
  ): { record: KeyRecord; key: string } {
    const { text: key, digest: id } = issueCredential('key', accountId, random);
    const record: KeyRecord = {
      id,
      ...about,
      prefix: key.slice(0, shownCharacters),
      lastFour: key.slice(-4),
      status: 'active',
      revision: 1,
    };
    return { record, key };
  }

  return { checkExpiry, create, list, change, revoke, rotate, suspendByOperator };
}

/** Whether a change ends a key with a limit, or gives it another or none: each can leave budgets that nothing spends from. */
function mayLeaveBudgets(before: KeyRecord, after: KeyRecord, now: number): boolean {
  return hasEnded(after, now) || limitsOf(before).limit?.budget !== limitsOf(after).limit?.budget;
}

function refuseRevoked({ status }: StoredKey): void {
  if (status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked already.');
}

function expiry(text: string | null | undefined): { expiresAt?: number } {
  return text === null || text === undefined ? {} : { expiresAt: epochMs(text) };
}

function keyEvent(type: 'created' | 'revoked', keyId: string, now: number): KeyEvent {
  return { type, at: Math.floor(now / 1000), keyId };
}

function rotation({ id: previousKeyId, status, expiresAt }: KeyRecord, keyId: string, now: number): KeyEvent {
  const goesOn = status === 'active' && expiresAt !== undefined;
  const previousExpiresAt = goesOn && { previousExpiresAt: Math.ceil(expiresAt / 1000) };
  return { type: 'rotated', at: Math.floor(now / 1000), keyId, previousKeyId, ...previousExpiresAt };
}

function surplusOf(stored: readonly StoredKey[], now: number): StoredKey[] {
  const ended = stored.filter((key) => hasEnded(key, now));
  return ended.toSorted(newestFirst).slice(limits.endedKeys);
}

function newestFirst(one: StoredKey, other: StoredKey): number {
  return (other.createdAt ?? 0) - (one.createdAt ?? 0);
}

function tooMany(keys: string): ServiceError {
  return new ServiceError('INVALID_STATE', `An account may have ${keys}; revoke one first.`);
}

function refuseUnlessDone(outcome: KeyWrite): void {
  if (outcome === 'too many active') throw tooMany(`${limits.activeKeys} active keys`);
  if (outcome === 'too many usable') throw tooMany(`${limits.usableKeys} active and suspended keys`);
  if (outcome === 'changed meanwhile')
    throw new ServiceError('INVALID_STATE', 'The key was changed meanwhile; read it again.');
}
