import type { Route } from './http/route.ts';
import { accountRoutes } from './routes/accounts.ts';
import { agentRoutes } from './routes/agents.ts';
import { alertRoutes } from './routes/alerts.ts';
import { analysisRoutes } from './routes/analysis.ts';
import { anthropicRoutes } from './routes/anthropic.ts';
import { audioRoutes } from './routes/audio.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { creditRoutes } from './routes/credits.ts';
import { documentRoutes } from './routes/documents.ts';
import { inferenceRoutes } from './routes/inference.ts';
import { keyRoutes } from './routes/keys.ts';
import { messageRoutes } from './routes/messages.ts';
import { openAiRoutes } from './routes/openai.ts';
import { operatorRoutes } from './routes/operators.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { paymentRoutes } from './routes/payments.ts';
import { responseRoutes } from './routes/responses.ts';
import { passkeyVerificationRoutes, secondFactorRoutes } from './routes/second-factor.ts';
import { passwordRoutes, signInRoutes } from './routes/sign-in.ts';
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** All operations of the service. Every route has a handler in `functions/api` (docs/adding-an-endpoint.md). */
export const routes = {
  ...signInRoutes,
  ...passwordRoutes,
  ...accountRoutes,
  ...organizationRoutes,
  ...secondFactorRoutes,
  ...passkeyVerificationRoutes,
  ...keyRoutes,
  ...subscriptionRoutes,
  ...paymentRoutes,
  ...creditRoutes,
  ...alertRoutes,
  ...inferenceRoutes,
  ...analysisRoutes,
  ...openAiRoutes,
  ...anthropicRoutes,
  ...responseRoutes,
  ...agentRoutes,
  ...documentRoutes,
  ...conversationRoutes,
  ...audioRoutes,
  ...messageRoutes,
  ...webhookRoutes,
  ...operatorRoutes,
} as const satisfies Record<string, Route>;

/** The routes by resource. Each group is a nested stack of the API stack. */
export const routeGroups = {
  accounts: Object.values({
    ...signInRoutes,
    ...passwordRoutes,
    ...accountRoutes,
    ...organizationRoutes,
    ...secondFactorRoutes,
    ...passkeyVerificationRoutes,
  }),
  keys: Object.values(keyRoutes),
  subscriptions: Object.values(subscriptionRoutes),
  payments: Object.values(paymentRoutes),
  credits: Object.values(creditRoutes),
  alerts: Object.values(alertRoutes),
  inference: Object.values(inferenceRoutes),
  analysis: Object.values(analysisRoutes),
  openai: Object.values({ ...openAiRoutes, ...responseRoutes }),
  anthropic: Object.values(anthropicRoutes),
  agents: Object.values({ ...agentRoutes, ...documentRoutes, ...conversationRoutes }),
  audio: Object.values(audioRoutes),
  messages: Object.values(messageRoutes),
  webhooks: Object.values(webhookRoutes),
  operators: Object.values(operatorRoutes),
} as const satisfies Readonly<Record<string, readonly Route[]>>;

export const allRoutes: readonly Route[] = Object.values(routes);

/** Handles unmatched requests: 404 for an unknown path, 405 for a known path with another method. */
export const unknownRouteId = 'unknown-route';
