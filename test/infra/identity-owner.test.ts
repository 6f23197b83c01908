import { describe, expect, test } from 'vitest';
import { checkIdentityOwner } from '#lib/identity-owner.ts';
import { live, parseStage } from '#lib/stages.ts';

const stage = (choices: object) => parseStage({ ...live, ...choices });
const mail = (identityOwner: string | null, sender = live.mail.sender) => ({ mail: { sender, identityOwner } });
const env = { account: '111111111111', region: 'eu-west-1' };

const owner = stage(mail('live'));
const staging = stage({ name: 'staging', ...mail('live') });

test('one stage creates the identity, and others of its account and domain use it', () => {
  for (const one of [owner, staging]) expect(() => checkIdentityOwner(one, [owner, staging])).not.toThrow();
});

test('an identity that exists has no owner', () => {
  expect(() => checkIdentityOwner(stage(mail(null)), [])).not.toThrow();
});

test('stages of different accounts own one each', () => {
  const elsewhere = stage({ name: 'staging', env, ...mail('staging') });
  for (const one of [owner, elsewhere]) expect(() => checkIdentityOwner(one, [owner, elsewhere])).not.toThrow();
});

describe('a stage is refused whose identity', () => {
  test('no stage creates', () => {
    expect(() => checkIdentityOwner(staging, [staging])).toThrow(/mail\.identityOwner must be .*; there are: none/);
  });

  test('two stages would create', () => {
    const second = stage({ name: 'staging', ...mail('staging') });
    expect(() => checkIdentityOwner(owner, [owner, second])).toThrow(/there are: live, staging/);
  });

  test('a stage of another account creates', () => {
    expect(() => checkIdentityOwner(stage({ name: 'staging', env, ...mail('live') }), [owner])).toThrow(/none/);
  });

  test('is of another domain than its owner’s', () => {
    const other = stage({ name: 'staging', ...mail('live', 'hello@example.org') });
    expect(() => checkIdentityOwner(other, [owner, other])).toThrow(/none/);
  });
});
