import { isDeepStrictEqual } from 'node:util';
import type { Stage } from './stage.ts';

/**
 * Reserved domains: RFC 2606 and 6761, and `local` (RFC 6762), `onion` (RFC 7686), `alt` (RFC 9476), `internal` (ICANN
 * 2024). SES never verifies them, so no account could confirm its address.
 */
const reservedDomain = /(^|\.)(test|example|invalid|localhost|local|onion|alt|internal|example\.(com|net|org))$/i;

const isReserved = (domain: string): boolean => reservedDomain.test(domain);

/** A valid setting that prevents a deployment from working. */
export interface Obstacle {
  readonly setting: 'mail.sender' | 'alarms.email';
  readonly remedy: string;
}

/**
 * Placeholder settings that a deployment must replace. A stage with gradual rollouts has users, so its alarms need a
 * recipient.
 */
export function obstaclesOf({
  mail,
  alarms,
  rollout,
}: Pick<Stage, 'mail' | 'alarms' | 'rollout'>): readonly Obstacle[] {
  const domain = domainOf(mail.sender);
  return [
    ...(isReserved(domain)
      ? [
          {
            setting: 'mail.sender',
            remedy: `must be in a domain of yours: ${domain} is reserved, so no mail arrives and nobody can confirm an account`,
          } as const,
        ]
      : []),
    ...(alarms.email === null && rollout === 'canary'
      ? [
          {
            setting: 'alarms.email',
            remedy: "must be an address: nobody receives the alarms of a stage with rollout 'canary' otherwise",
          } as const,
        ]
      : []),
  ];
}

/** Returns the stage. Throws if it could not work once deployed. */
export function checkDeployable(stage: Stage): Stage {
  const obstacles = obstaclesOf(stage).map(({ setting, remedy }) => `${setting} ${remedy}`);
  if (obstacles.length === 0) return stage;
  throw new Error(
    `the stage ${stage.name} cannot be deployed: ${obstacles.join('; ')}. To look at its templates only: npm run synth.`,
  );
}

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
