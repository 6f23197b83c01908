import { describe, expect, it } from 'vitest';
import { keyService } from '#domain/keys/key-service.ts';
import type { KeyRecord, KeyWrite, KeyWriteOptions, StoredKey, UnreadableKey } from '#domain/keys/key.ts';

const now = Date.UTC(2027, 2, 1);
const about = { name: 'Build', prefix: 'tai_0123456789abc', lastFour: 'wxyz', createdAt: now - 1000 };
const readable: KeyRecord = { id: 'key-1', ...about, status: 'active', revision: 3 };
const unreadable: UnreadableKey = { id: 'key-2', ...about, status: 'unreadable', revision: undefined };
const suspension = (before: string, after: string) => ({ event: 'suspended', before, after }) as never;

/** A service over these keys that records writes, with their outcome, and the checks of the limit of changes. */
function serviceWith(outcome: KeyWrite, ...stored: StoredKey[]) {
  const writes: (KeyWriteOptions & { readonly key: unknown })[] = [];
  const limited: number[] = [];
  const keys = {
    list: async () => stored,
    find: async (_: number, id: string) => stored.find((key) => key.id === id),
    change: async (_: number, key: KeyRecord, options: KeyWriteOptions) => {
      writes.push({ key, ...options });
      return outcome;
    },
    revokeUnreadable: async (_: number, key: string, options: KeyWriteOptions) => {
      writes.push({ key, ...options });
    },
  };
  const accounts = {
    enforceChangeLimit: async (accountId: number) => void limited.push(accountId),
    findMeter: async () => undefined,
    noticeOf: async () => undefined,
  };
  const random = { bytes: (size: number) => new Uint8Array(size) };
  return { stored, writes, limited, service: keyService(keys as never, accounts, { now: () => now }, random) };
}

const revoked = { type: 'revoked', at: now / 1000 };

describe('an unreadable key', () => {
  it('is revoked by its owner with an event, under the limit of changes', async () => {
    const { service, writes, limited } = serviceWith('done', unreadable);
    const view = await service.revoke(1, 'key-2');
    expect(view).toMatchObject({ id: 'key-2', status: 'revoked', limit: null, models: null, services: null });
    expect(writes).toEqual([{ key: 'key-2', now, keyEvent: { ...revoked, keyId: 'key-2' } }]);
    expect(limited).toEqual([1]);
  });

  it('causes no second event if it is revoked again', async () => {
    const { service, writes } = serviceWith('done', { ...unreadable, status: 'revoked' });
    expect(await service.revoke(1, 'key-2')).toMatchObject({ status: 'revoked' });
    expect(writes).toEqual([{ key: 'key-2', now }]);
  });

  it('is revoked by the suspension of an operator, with an audit event and without the limit', async () => {
    const { service, writes, limited } = serviceWith('done', unreadable);
    expect(await service.suspendByOperator(1, 'key-2', suspension)).toMatchObject({ status: 'revoked' });
    expect(writes).toEqual([
      { key: 'key-2', now, event: suspension('unreadable', 'revoked'), keyEvent: { ...revoked, keyId: 'key-2' } },
    ]);
    expect(limited).toEqual([]);
  });

  it('cannot be changed or rotated', async () => {
    const { service, writes } = serviceWith('done', unreadable);
    const refused = {
      code: 'INVALID_STATE',
      message: 'The stored key cannot be read; revoke it and create a new one.',
    };
    await expect(service.change(1, 'key-2', { name: 'Other' })).rejects.toMatchObject(refused);
    await expect(service.rotate({ id: 1, email: 'ada@example.com', name: 'Ada' }, 'key-2', 0)).rejects.toMatchObject(
      refused,
    );
    expect(writes).toEqual([]);
  });
});

describe('a key suspended by an operator', () => {
  it('causes an audit event with its previous status, and is not subject to the limit of changes', async () => {
    const { service, writes, limited } = serviceWith('done', { ...readable, expiresAt: now });
    await service.suspendByOperator(1, 'key-1', suspension);
    const key = { ...readable, expiresAt: now, status: 'suspended', suspendedByOperator: true, revision: 4 };
    expect(writes).toEqual([{ key, now, unused: [], event: suspension('expired', 'suspended') }]);
    expect(limited).toEqual([]);
  });

  it('can be renamed and revoked, but not resumed or suspended again', async () => {
    const suspended: KeyRecord = { ...readable, status: 'suspended', suspendedByOperator: true };
    const { service } = serviceWith('done', suspended);
    await expect(service.suspendByOperator(1, 'key-1', suspension)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'The key was already suspended by an operator.',
    });
    await expect(service.change(1, 'key-1', { status: 'active' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'The key was suspended by an operator. Create a new one.',
    });
    expect(await service.change(1, 'key-1', { name: 'Other' })).toMatchObject({ name: 'Other', status: 'suspended' });
    expect(await service.revoke(1, 'key-1')).toMatchObject({ status: 'revoked' });
  });
});

describe('a revoked key', () => {
  it('causes one event, however often it is revoked', async () => {
    const first = serviceWith('done', readable);
    await first.service.revoke(1, 'key-1');
    const second = serviceWith('done', { ...readable, status: 'revoked' });
    await second.service.revoke(1, 'key-1');
    expect([first, second].map(({ writes }) => writes[0]?.keyEvent)).toEqual([
      { ...revoked, keyId: 'key-1' },
      undefined,
    ]);
  });

  it('cannot be suspended or changed', async () => {
    const { service, writes } = serviceWith(
      'done',
      { ...readable, status: 'revoked' },
      { ...unreadable, status: 'revoked' },
    );
    for (const id of ['key-1', 'key-2']) {
      await expect(service.suspendByOperator(1, id, suspension)).rejects.toMatchObject({
        code: 'INVALID_STATE',
        message: 'The key is already revoked.',
      });
    }
    await expect(service.change(1, 'key-1', {})).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(writes).toEqual([]);
  });
});

describe('a suspension that is overtaken by a revocation', () => {
  it('is refused, because the key would come back', async () => {
    const { service, writes, stored } = serviceWith('changed meanwhile', readable);
    const suspension = service.suspendByOperator(1, 'key-1', () => {
      stored[0] = { ...readable, status: 'revoked' };
      return {} as never;
    });
    await expect(suspension).rejects.toThrow('The key is already revoked.');
    expect(writes).toHaveLength(1);
  });
});

describe('a key that expired after it was revoked', () => {
  it('stays revoked', async () => {
    const { service } = serviceWith('done', { ...readable, status: 'revoked', expiresAt: now - 1 });
    expect(await service.list(1)).toMatchObject([{ status: 'revoked' }]);
  });
});

describe('a change of a key', () => {
  it('that concurrent changes prevent is tried five times, counted once and refused with a retryable error', async () => {
    const { service, writes, limited } = serviceWith('changed meanwhile', readable);
    await expect(service.change(1, 'key-1', { name: 'Other' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    expect([writes.length, limited]).toEqual([5, [1]]);
  });

  it('is not counted for an unknown key', async () => {
    const { service, limited } = serviceWith('done', readable);
    await expect(service.change(1, 'absent', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(service.revoke(1, 'absent')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(limited).toEqual([]);
  });
});
