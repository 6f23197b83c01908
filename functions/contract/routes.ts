import type { Route } from './http/route.ts';
import { accountRoutes } from './routes/accounts.ts';
import { agentRoutes } from './routes/agents.ts';
import { alertRoutes } from './routes/alerts.ts';
import { analysisRoutes } from './routes/analysis.ts';
import { audioRoutes } from './routes/audio.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { creditRoutes } from './routes/credits.ts';
import { documentRoutes } from './routes/documents.ts';
import { inferenceRoutes } from './routes/inference.ts';
import { keyRoutes } from './routes/keys.ts';
import { messageRoutes } from './routes/messages.ts';
import { openAiRoutes } from './routes/openai.ts';
import { operatorRoutes } from './routes/operators.ts';
import { passwordRoutes } from './routes/passwords.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** Every operation of the service; a row and its handler in `functions/api` exist together (docs/adding-an-endpoint.md). */
export const routes = {
  ...signInRoutes,
  ...passwordRoutes,
  ...accountRoutes,
  ...keyRoutes,
  ...subscriptionRoutes,
  ...creditRoutes,
  ...alertRoutes,
  ...inferenceRoutes,
  ...analysisRoutes,
  ...openAiRoutes,
  ...agentRoutes,
  ...documentRoutes,
  ...conversationRoutes,
  ...audioRoutes,
  ...messageRoutes,
  ...webhookRoutes,
  ...operatorRoutes,
} as const satisfies Record<string, Route>;

/** The same rows by resource: each group is deployed as a stack of its own inside the API's. */
export const routeGroups = {
  accounts: Object.values({ ...signInRoutes, ...passwordRoutes, ...accountRoutes }),
  keys: Object.values(keyRoutes),
  subscriptions: Object.values(subscriptionRoutes),
  credits: Object.values(creditRoutes),
  alerts: Object.values(alertRoutes),
  inference: Object.values(inferenceRoutes),
  analysis: Object.values(analysisRoutes),
  openai: Object.values(openAiRoutes),
  agents: Object.values({ ...agentRoutes, ...documentRoutes, ...conversationRoutes }),
  audio: Object.values(audioRoutes),
  messages: Object.values(messageRoutes),
  webhooks: Object.values(webhookRoutes),
  operators: Object.values(operatorRoutes),
} as const satisfies Readonly<Record<string, readonly Route[]>>;

export const allRoutes: readonly Route[] = Object.values(routes);

/** Responds to what no route matches: 404 for an unknown path, 405 for a known path with another method. */
export const unknownRouteId = 'unknown-route';
