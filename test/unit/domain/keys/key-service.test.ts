import { describe, expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import { keyService } from '#domain/keys/key-service.ts';
import type { KeyRecord, KeyWrite, KeyWriteOptions, StoredKey } from '#domain/keys/key.ts';
import type { Hold } from '#domain/meter/meter.ts';
import { credits, meterWith, start as now } from '#test/meter/meters.ts';

const day = 86_400_000;
const iso = (time: number): string => new Date(time).toISOString();
const record: KeyRecord = {
  id: '0123456789',
  name: 'Build',
  prefix: 'tai_0123456789abc',
  lastFour: 'wxyz',
  createdAt: now - 1000,
  status: 'active',
  revision: 3,
};
const owner = { id: 1, email: 'ada@example.com', name: 'Ada' };
const limit = { credits: 5, period: 'day' } as const;
const limited: KeyRecord = { ...record, limit, budget: '01234567' };
const spent = (id: string) => [id, { start: now / 1000, used: credits(2) }] as const;
const held = (id: string): Hold => ({
  amount: 1,
  deadline: 0,
  service: 'chat',
  model: 'svc-1',
  keyId: record.id,
  budget: { id, start: now / 1000 },
});

/** A service over these keys and budgets. Records what it writes and removes, and how often it reads the meter. */
function serviceWith(stored: readonly StoredKey[], budgets: readonly string[] = [], outcome: KeyWrite = 'done') {
  const writes: (KeyWriteOptions & { readonly records: readonly KeyRecord[] })[] = [];
  const removed: string[] = [];
  const reads = { meter: 0 };
  const write = (options: KeyWriteOptions, ...records: KeyRecord[]): KeyWrite => {
    writes.push({ records, ...options });
    return outcome;
  };
  const keys = {
    list: async () => stored,
    find: async (_: number, id: string) => stored.find((key) => key.id === id),
    create: async (_: number, fresh: KeyRecord, options: KeyWriteOptions) => write(options, fresh),
    change: async (_: number, after: KeyRecord, options: KeyWriteOptions) => write(options, after),
    rotate: async (_: number, old: KeyRecord, fresh: KeyRecord, options: KeyWriteOptions) => write(options, old, fresh),
    remove: async (_: number, { id }: StoredKey) => void removed.push(id),
  };
  const meter = meterWith(0, { budgets: new Map(budgets.map(spent)), holds: new Map([['call', held('held-d')]]) });
  const accounts = {
    enforceChangeLimit: async () => undefined,
    findMeter: async () => {
      reads.meter += 1;
      return meter;
    },
    noticeOf: async () => undefined,
  };
  const random = { bytes: (size: number) => new Uint8Array(size) };
  return { ...keyService(keys as never, accounts, { now: () => now }, random), writes, removed, reads };
}

describe('a created key', () => {
  it('is returned once in full, and only its ends and a digest are stored', async () => {
    const { create, writes, reads } = serviceWith([]);
    const view = await create(owner, { name: 'Build', expiresAt: iso(now + day) });
    const { id, prefix, lastFour } = writes[0]!.records[0]!;
    expect(view).toEqual({
      id,
      key: expect.stringMatching(`^${prefix}.*${lastFour}$`),
      name: 'Build',
      prefix,
      lastFour,
      status: 'active',
      suspendedByOperator: false,
      createdAt: iso(now),
      createdBy: 1,
      expiresAt: iso(now + day),
      lastUsedAt: null,
      limit: null,
      models: null,
      services: null,
      contentDays: null,
    });
    expect([prefix.length, lastFour.length]).toEqual([17, 4]);
    expect(JSON.stringify(writes)).not.toContain(view.key);
    expect(writes).toMatchObject([
      { records: [{ status: 'active', revision: 1 }], unused: [], keyEvent: { type: 'created', at: now / 1000 } },
    ]);
    expect(reads.meter).toBe(0);
  });

  it('with a limit has a separate budget, and removes budgets without a usable key or a running call', async () => {
    const ended: KeyRecord = { ...limited, id: 'ended', budget: 'ended', expiresAt: now };
    const { create, writes } = serviceWith([limited, ended], ['01234567d', 'endedd', 'held-d']);
    const view = await create(owner, { name: 'Build', limit, models: ['svc-1'], services: ['chat'] });
    const [{ id, budget }] = writes[0]!.records as [KeyRecord];
    expect(budget).toBe(id.slice(0, 8));
    expect(view).toMatchObject({
      limit: { credits: 5, period: 'day', used: 0, resetsAt: iso(now + day) },
      models: ['svc-1'],
      services: ['chat'],
    });
    expect(writes[0]!.unused).toEqual(['endedd']);
  });

  it.each([
    ['too many active', `An account can have at most ${limits.activeKeys} active keys. Revoke one first.`],
    [
      'too many usable',
      `An account can have at most ${limits.usableKeys} active and suspended keys. Revoke one first.`,
    ],
    ['changed meanwhile', 'The key has changed. Get it again, then retry.'],
  ] as const)('is refused as %s with a sentence that states the reason', async (outcome, message) => {
    const { create } = serviceWith([], [], outcome);
    await expect(create(owner, { name: 'Build' })).rejects.toMatchObject({ code: 'INVALID_STATE', message });
  });

  it('must expire in the future, or never', () => {
    const { checkExpiry } = serviceWith([]);
    for (const time of [undefined, null, iso(now + 1)]) expect(() => checkExpiry(time)).not.toThrow();
    expect(() => checkExpiry(iso(now))).toThrow('expiresAt must be in the future.');
  });

  it('removes the oldest ended keys above the limit, at most 100 at once', async () => {
    const ended = Array.from({ length: limits.endedKeys + 150 }, (_, age): KeyRecord => {
      return { ...record, id: `ended-${age}`, createdAt: now - age, status: 'revoked' };
    });
    const stored = [record, ...ended.toReversed()];
    const { create, list, removed } = serviceWith(stored);
    await create(owner, { name: 'Build' });
    expect(removed).toHaveLength(100);
    expect(removed[0]).toBe(`ended-${limits.endedKeys}`);
    const shown = await list(1);
    expect([shown.length, shown[0]?.id]).toEqual([limits.endedKeys + 1, 'ended-0']);
    expect(shown.at(-1)?.id).toBe(record.id);
  });
});

describe('listed keys', () => {
  it('are newest first, with the spending of their budgets', async () => {
    const { list, reads } = serviceWith([record, { ...limited, id: 'limited', createdAt: now }], ['01234567d']);
    const [first, second] = await list(1);
    expect(first).toMatchObject({ id: 'limited', limit: { ...limit, used: 2, resetsAt: iso(now + day) } });
    expect(second).toMatchObject({ id: record.id, limit: null });
    expect(reads.meter).toBe(1);
  });
});

describe('a rotated key', () => {
  const full: KeyRecord = { ...limited, models: ['svc-1'], services: ['chat'], expiresAt: now + 2 * day };

  it('passes on its name, expiry, limits and budget', async () => {
    const { rotate, writes } = serviceWith([full], ['01234567d']);
    const { name, expiresAt, budget, models, services } = full;
    const view = await rotate(owner, full.id, 0);
    expect(writes[0]!.records[1]).toMatchObject({ name, expiresAt, limit, budget, models, services, revision: 1 });
    expect(view).toMatchObject({ limit: { used: 2 }, createdAt: iso(now), key: expect.stringMatching(/^tai_/) });
  });

  it('without limits passes on none', async () => {
    const { rotate, writes } = serviceWith([record]);
    await rotate(owner, record.id, 0);
    const fresh = Object.keys(writes[0]!.records[1]!).toSorted();
    expect(fresh).toEqual(['createdAt', 'createdBy', 'id', 'lastFour', 'name', 'prefix', 'revision', 'status']);
  });

  it('is revoked immediately, or stays valid for the grace period but never beyond its expiry', async () => {
    const rotated = async (key: KeyRecord, graceSeconds: number) => {
      const { rotate, writes } = serviceWith([key]);
      await rotate(owner, key.id, graceSeconds);
      return [writes[0]!.records[0], writes[0]!.keyEvent];
    };
    const event = { type: 'rotated', at: now / 1000, keyId: expect.any(String), previousKeyId: record.id };
    expect(await rotated(record, 0)).toEqual([{ ...record, status: 'revoked', revision: 4 }, event]);
    expect(await rotated(record, 60)).toEqual([
      { ...record, expiresAt: now + 60_000, revision: 4 },
      { ...event, previousExpiresAt: now / 1000 + 60 },
    ]);
    expect((await rotated({ ...record, expiresAt: now + 1 }, 60))[1]).toEqual({
      ...event,
      previousExpiresAt: now / 1000 + 1,
    });
  });

  it('must be active', async () => {
    const { rotate } = serviceWith([{ ...record, expiresAt: now }]);
    await expect(rotate(owner, record.id, 0)).rejects.toThrow('The key is expired; only an active key can be rotated.');
  });
});

describe('a changed key', () => {
  it('keeps what the change does not name, and loses what it sets to null', async () => {
    const full: KeyRecord = { ...limited, models: ['svc-1'], services: ['chat'], expiresAt: now + day };
    const changed = async (changes: Parameters<ReturnType<typeof keyService>['change']>[2]) => {
      const { change, writes } = serviceWith([full]);
      await change(1, full.id, changes);
      return writes[0]!.records[0];
    };
    expect(await changed({})).toEqual({ ...full, revision: 4 });
    expect(await changed({ limit: null, models: null, services: null, expiresAt: null })).toEqual({
      ...record,
      revision: 4,
    });
    const other = { name: 'Other', status: 'suspended', expiresAt: iso(now + 2 * day) } as const;
    expect(await changed(other)).toEqual({ ...full, ...other, expiresAt: now + 2 * day, revision: 4 });
  });

  it('that had expired requires its limit to be sent again', async () => {
    const { change } = serviceWith([{ ...limited, expiresAt: now }]);
    const expiresAt = iso(now + day);
    await expect(change(1, record.id, { expiresAt })).rejects.toThrow('send limit as well');
    expect(await change(1, record.id, { expiresAt, limit })).toMatchObject({ status: 'active', limit });
    expect(await change(1, record.id, { name: 'Other' })).toMatchObject({ status: 'expired', name: 'Other' });
  });

  it('removes the budget that a change of its period, or its end, leaves without a key', async () => {
    const unusedAfter = async (stored: KeyRecord[], changes: { limit?: null; name?: string } | 'revoke') => {
      const { change, revoke, writes } = serviceWith(stored, ['01234567d', 'held-d']);
      await (changes === 'revoke' ? revoke(1, record.id) : change(1, record.id, changes));
      return writes[0]!.unused;
    };
    const sibling = { ...limited, id: 'sibling' };
    expect(await unusedAfter([limited], { limit: null })).toEqual(['01234567d']);
    expect(await unusedAfter([limited], 'revoke')).toEqual(['01234567d']);
    expect(await unusedAfter([limited, sibling], 'revoke')).toEqual([]);
    expect(await unusedAfter([limited], { name: 'Other' })).toEqual([]);
  });
});
