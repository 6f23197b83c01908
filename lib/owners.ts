import { isDeepStrictEqual } from 'node:util';
import type { Stage } from './stage.ts';

/** Resources that exist once per account and region: one stage creates each, and the other stages name that stage. */
interface Owned {
  /** Setting with the owner's name. Null: the resource already exists. */
  readonly setting: string;
  readonly ownerOf: (stage: Stage) => string | null;
  /** Returns whether two stages of an account and region share it. */
  readonly isShared: (one: Stage, other: Stage) => boolean;
  /** Description of the shared resource, for error messages. */
  readonly among: string;
}

const owned: readonly Owned[] = [
  // SES allows one identity per domain: a second stage that creates it fails to deploy.
  {
    setting: 'mail.identityOwner',
    ownerOf: ({ mail }) => mail.identityOwner,
    isShared: (one, other) => domainOf(one.mail.sender) === domainOf(other.mail.sender),
    among: 'account, region and sender domain',
  },
  // API Gateway has one log role: a second stage that sets it overwrites the first.
  {
    setting: 'gatewayLogsOwner',
    ownerOf: ({ gatewayLogsOwner }) => gatewayLogsOwner,
    isShared: () => true,
    among: 'account and region',
  },
];

/** Throws unless exactly one stage creates each resource that this one shares with others of its account and region. */
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

/** Domain of an address, which SES verifies. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
