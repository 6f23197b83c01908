import { isDeepStrictEqual } from 'node:util';
import type { Stage } from './stage.ts';

/** What an account has once in a region: one stage creates it, the others that share it name that stage. */
interface Owned {
  /** The setting with the owner's name; null: it exists already. */
  readonly setting: string;
  readonly ownerOf: (stage: Stage) => string | null;
  /** Whether two stages of an account and region share it. */
  readonly isShared: (one: Stage, other: Stage) => boolean;
  /** What the stages that share it have in common. */
  readonly among: string;
}

const owned: readonly Owned[] = [
  // SES has an identity once: a second stage that creates it fails to deploy.
  {
    setting: 'mail.identityOwner',
    ownerOf: ({ mail }) => mail.identityOwner,
    isShared: (one, other) => domainOf(one.mail.sender) === domainOf(other.mail.sender),
    among: 'account, region and sender domain',
  },
  // API Gateway has one role for its logs: a second stage that sets it overwrites the first.
  {
    setting: 'gatewayLogsOwner',
    ownerOf: ({ gatewayLogsOwner }) => gatewayLogsOwner,
    isShared: () => true,
    among: 'account and region',
  },
];

/** Throws unless one stage creates what this one shares with others of its account and region. */
export function checkOwners(stage: Stage, stages: readonly Stage[]): void {
  for (const { setting, ownerOf, isShared, among } of owned) {
    const named = ownerOf(stage);
    if (named === null) continue;
    const owners = stages
      .filter((other) => isDeepStrictEqual(other.env, stage.env) && isShared(other, stage))
      .filter((other) => ownerOf(other) === other.name)
      .map(({ name }) => name);
    if (owners.length === 1 && owners[0] === named) continue;
    throw new Error(
      `the stage ${stage.name} cannot be deployed: ${setting} must be the one stage of its ${among} that names itself; ` +
        `there are: ${owners.join(', ') || 'none'}`,
    );
  }
}

/** The domain of an address, which SES verifies. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
