import { isDeepStrictEqual } from 'node:util';
import type { Stage } from './stage.ts';

/**
 * Throws unless one stage creates the SES identity that this one sends with. SES has an identity once in an account and
 * region, so a second stage that creates it fails to deploy.
 */
export function checkIdentityOwner(stage: Stage, stages: readonly Stage[]): void {
  const { name, mail } = stage;
  if (mail.identityOwner === null) return;
  const owners = stages
    .filter((other) => sharesIdentity(other, stage) && ownsIdentity(other))
    .map((owner) => owner.name);
  if (owners.length === 1 && owners[0] === mail.identityOwner) return;
  throw new Error(
    `the stage ${name} cannot be deployed: mail.identityOwner must be the one stage of its account, region and sender ` +
      `domain that names itself; there are: ${owners.join(', ') || 'none'}`,
  );
}

/** The domain of an address, which SES verifies. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const ownsIdentity = ({ name, mail }: Stage) => mail.identityOwner === name;

const sharesIdentity = (one: Stage, other: Stage) =>
  isDeepStrictEqual(one.env, other.env) && domainOf(one.mail.sender) === domainOf(other.mail.sender);
