import type { Stage } from '#lib/stage.ts';
import { live, parseStage } from '#lib/stages.ts';
import { hostedModel } from './hosted-model.ts';

/** Origins of pages that may use API keys. */
export const corsOrigins = ['https://app.example.com', 'http://localhost:3000'];

/**
 * A stage with every option: a domain, origins of pages, copies of backups, a hosted model, a fallback, shared
 * environments, messages, payments, the canary.
 */
export const fullStage: Stage = parseStage({
  ...live,
  frontDoor: {
    kind: 'edge',
    domain: { name: 'text.example.com', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/abc' },
  },
  corsOrigins,
  storePrompts: true,
  backup: { copyTo: 'arn:aws:backup:eu-central-1:222222222222:backup-vault:text-ai-copies', days: 90 },
  models: {
    ...live.models,
    endpoints: { 'svc-instruct': ['svc-instruct', { kind: 'bedrock', model: 'us.amazon.nova-lite-v1:0' }] },
    hosted: { 'svc-1': hostedModel },
  },
  compute: {
    kind: 'managed-instances',
    subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
    securityGroupIds: ['sg-0123456789abcdef0'],
    routes: { 'create-chat-completion': 3 },
    callsPerEnvironment: 200,
  },
  alarms: { email: 'operators@example.com', monthlyBudgetUsd: 100, claimedConcurrency: 800 },
  messages: { ...live.messages, countries: ['DE'] },
  payments: {
    stripe: {
      secret: 'text-ai/stripe',
      secretKeyArn: 'arn:aws:kms:us-east-1:111111111111:key/11111111-2222-3333-4444-555555555555',
    },
  },
  canary: { model: 'svc-code' },
});
