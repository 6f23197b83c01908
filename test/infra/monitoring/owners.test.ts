import { describe, expect, test } from 'vitest';
import { checkOwners } from '#lib/deployable.ts';
import { live, parseStage } from '#lib/stages.ts';

const stage = (choices: object) => parseStage({ ...live, ...choices });
const owned = (identityOwner: string | null, gatewayLogsOwner = identityOwner, sender = live.mail.sender) => ({
  mail: { sender, identityOwner },
  gatewayLogsOwner,
});
const env = { account: '111111111111', region: 'eu-west-1' };

const owner = stage(owned('live'));
const staging = stage({ name: 'staging', ...owned('live') });

test('one stage owns identity and role, and the other stages of its account and domain use them', () => {
  for (const one of [owner, staging]) expect(() => checkOwners(one, [owner, staging])).not.toThrow();
});

test('existing resources have no owner', () => {
  expect(() => checkOwners(stage(owned(null)), [])).not.toThrow();
});

test('stages of different accounts each own one', () => {
  const elsewhere = stage({ name: 'staging', env, ...owned('staging') });
  for (const one of [owner, elsewhere]) expect(() => checkOwners(one, [owner, elsewhere])).not.toThrow();
});

test('stages of different domains share the role and each own an identity', () => {
  const other = stage({ name: 'staging', ...owned('staging', 'live', 'hello@example.org') });
  for (const one of [owner, other]) expect(() => checkOwners(one, [owner, other])).not.toThrow();
});

describe.each([
  ['mail.identityOwner', (name: string) => owned(name, null)],
  ['gatewayLogsOwner', (name: string) => owned(null, name)],
])('a stage is refused if its %s', (setting, ownedBy) => {
  const [first, second] = [stage(ownedBy('live')), stage({ name: 'staging', ...ownedBy('staging') })];

  test('does not exist', () => {
    const alone = stage({ name: 'staging', ...ownedBy('live') });
    expect(() => checkOwners(alone, [alone])).toThrow(new RegExp(`${setting} must be .*; there are: none`));
  });

  test('is one of two candidates', () => {
    expect(() => checkOwners(first, [first, second])).toThrow(/there are: live, staging/);
  });

  test('belongs to another account', () => {
    expect(() => checkOwners(stage({ name: 'staging', env, ...ownedBy('live') }), [first])).toThrow(/none/);
  });
});

test('a stage is refused if the domain of its identity differs from its owner’s', () => {
  const other = stage({ name: 'staging', ...owned('live', 'live', 'hello@example.org') });
  expect(() => checkOwners(other, [owner, other])).toThrow(/mail\.identityOwner .* none/);
});
