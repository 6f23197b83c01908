import { domainOf } from './owners.ts';
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
