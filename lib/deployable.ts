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

/**
 * Regions with Lambda response streaming: all commercial regions as of April 2026 (AWS "What's New",
 * https://aws.amazon.com/about-aws/whats-new/2026/04/aws-lambda-response-streaming/). For others, see "AWS Capabilities
 * by Region" (https://builder.aws.com/build/capabilities) before you add one.
 */
export const streamingRegions: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-central-1',
  'ca-west-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
]);

/** Throws for a region without response streaming. An unknown region (no credentials yet) passes. */
export function checkStreaming(region: string | undefined): void {
  if (region === undefined || streamingRegions.has(region)) return;
  throw new Error(
    `Lambda response streaming is not available in ${region} (lib/deployable.ts): choose another region, or ` +
      'deploy with --context buffered=true.',
  );
}
