import type { Stage } from '#lib/stage.ts';
import { parseStage } from '#lib/stages.ts';
import { corsOrigins } from './full-stage.ts';
import { hostedModel } from './hosted-model.ts';
import { plainStage } from './plain-stage.ts';

/** The setting that `npm run restore` prints for the table `meters`. */
export const restoredTables = {
  meters: {
    name: 'meters-2',
    streamArn: 'arn:aws:dynamodb:eu-west-1:111111111111:table/meters-2/stream/2026-11-22T09:00:00.000',
  },
};

/** A stage that differs from the default in every choice. */
export const otherStage: Stage = parseStage({
  ...plainStage,
  name: 'other',
  env: { account: '111111111111', region: 'eu-west-1' },
  frontDoor: { kind: 'gateway', publicOrigin: 'https://text.example.org', trustedProxies: 2 },
  mail: { sender: 'hello@mail.example.org', identityOwner: null },
  messages: {
    countries: ['DE', 'US'],
    maxPriceUsd: 0.2,
    origination: 'pool-1',
    perNumberPerHour: 3,
    perAccountPerDay: 100,
    perRangePerHour: 20,
  },
  payments: { stripe: { secret: 'other/stripe' } },
  gatewayLogsOwner: null,
  googleClientId: 'client.apps.googleusercontent.com',
  models: {
    endpoints: { 'svc-1': 'Llama-Live' },
    hosted: { 'svc-code': hostedModel },
    translation: 'svc-1',
    analysis: 'svc-code',
    encoders: {
      sentiment: { endpoint: 'Moods', labels: { LABEL_0: 'negative' } },
      entities: { endpoint: 'Names', component: 'Names-1' },
    },
  },
  existingTables: restoredTables,
  corsOrigins,
  planTable: 'overview',
  salesEmail: 'sales@text.example',
  networkLimits: 'on',
  sessions: { idleHours: 4, maxDays: 7 },
  fastPath: 'off',
  lanes: 'on',
  firewall: { requests: 20_000, keyRequests: 10_001, signIns: 10 },
  throttle: { requestsPerSecond: 50, burst: 20 },
  alarms: { email: 'operators@example.org', monthlyBudgetUsd: 50, claimedConcurrency: 40 },
  logRetentionDays: 30,
  provisionedConcurrency: { 'create-chat-completion': 3 },
  reservedConcurrency: { 'sweep-meters': 1, 'retry-ledger': 5 },
  accountsKey: 'aws',
  canary: { model: 'svc-1' },
});
