import type { StageInput } from '#lib/stage.ts';
import { live } from '#lib/stages.ts';

/** A stage that a local AWS can deploy: no edge, no firewall, no gradual rollout. */
export const plainStage: StageInput = {
  ...live,
  name: 'plain',
  mail: { ...live.mail, identityOwner: 'plain' },
  gatewayLogsOwner: 'plain',
  frontDoor: { kind: 'gateway', publicOrigin: 'https://text.example.com', trustedProxies: 0 },
  networkLimits: 'off',
  firewall: null,
  logRetentionDays: 1,
  reservedConcurrency: {},
  rollout: 'all-at-once',
};
