import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accountOfKey,
  issueCredential,
  newAccountId,
  newRequestId,
  parseCredential,
  timedId,
} from '#domain/shared/credential.ts';

const random = { bytes: (size: number) => randomBytes(size) };
const accountIds = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.maxSafeInteger().map(Math.abs)).filter((id) => id > 0);
const kinds = fc.constantFrom('key', 'session', 'confirmation', 'reset', 'device');

describe('a credential', () => {
  it('contains its account and type, and is found by its digest', () => {
    const property = fc.property(kinds, accountIds, (kind, accountId) => {
      const { text, ...issued } = issueCredential(kind, accountId, random);
      expect(parseCredential(text)).toEqual(issued);
      expect(text).toMatch(/^ta[iscrd]_[0-9A-Za-z]{58}$/);
    });
    fc.assert(property);
  });

  it('contains its account in its first 13 characters only if it is a key', () => {
    const property = fc.property(kinds, accountIds, fc.integer({ min: 13, max: 62 }), (kind, accountId, length) => {
      const { text } = issueCredential(kind, accountId, random);
      expect(accountOfKey(text.slice(0, length))).toBe(kind === 'key' ? accountId : undefined);
    });
    fc.assert(property);
    for (const text of ['tai_zzzzzzzzz', 'tai_é00000000']) expect(accountOfKey(text)).toBeUndefined();
  });

  it('is rejected after a change of any character, without a database call', () => {
    const { text } = issueCredential('key', 123_456_789, random);
    const others = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (let place = 4; place < text.length; place++) {
      for (const character of others) {
        if (character === text[place]) continue;
        expect(parseCredential(text.slice(0, place) + character + text.slice(place + 1))).toBeUndefined();
      }
    }
  });

  it.each([
    '',
    'tai_',
    'Bearer x',
    'tai_' + 'z'.repeat(58),
    'xai_' + '0'.repeat(58),
    'é'.repeat(62),
    `tai_${'0'.repeat(5000)}`,
  ])('is rejected if it is %j', (text) => {
    expect(parseCredential(text)).toBeUndefined();
  });

  it('is unique in 20,000, and does not contain its digest', () => {
    const issued = Array.from({ length: 20_000 }, () => issueCredential('key', newAccountId(random), random));
    expect(new Set(issued.map(({ text }) => text)).size).toBe(20_000);
    expect(issued.some(({ text, digest }) => text.includes(digest))).toBe(false);
  });
});

describe('account ids', () => {
  it('are safe integers from 1', () => {
    const ids = Array.from({ length: 5000 }, () => newAccountId(random));
    expect(ids.every((id) => Number.isSafeInteger(id) && id >= 1)).toBe(true);
    expect(newAccountId({ bytes: (size) => new Uint8Array(size) })).toBe(1);
    expect(newAccountId({ bytes: (size) => new Uint8Array(size).fill(255) })).toBe(Number.MAX_SAFE_INTEGER);
  });
});

it('request ids have 19 letters and digits, use all 62 of them, and are unique in 20,000', () => {
  const ids = Array.from({ length: 20_000 }, () => newRequestId(random));
  expect(ids.filter((id) => !/^[0-9A-Za-z]{19}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(20_000);
  expect(new Set(ids.join('')).size).toBe(62);
});

const lastDay = Date.UTC(8888, 0);

it('timed ids sort by their millisecond and are unique', () => {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: lastDay }), { minLength: 2, maxLength: 20 });
  const property = fc.property(times, (all) => {
    const ids = all.toSorted((one, other) => one - other).map((now) => timedId('msg', now, random));
    expect(ids.toSorted()).toEqual(ids);
  });
  fc.assert(property);
  expect(timedId('agt', 0, random)).toMatch(/^agt_0{8}[0-9A-Za-z]{12}$/);
  expect(new Set(Array.from({ length: 1000 }, () => timedId('doc', lastDay, random))).size).toBe(1000);
});
