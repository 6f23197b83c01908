import type { Route } from './http/route.ts';
import type { Job } from './jobs.ts';
import { routeGroups, unknownRouteId } from './routes.ts';
import { accountRoutes } from './routes/accounts/accounts.ts';
import { passwordRoutes } from './routes/accounts/passwords.ts';
import { signInRoutes } from './routes/accounts/sign-in.ts';
import { agentRoutes } from './routes/agents/agents.ts';
import { conversationRoutes } from './routes/agents/conversations.ts';
import { documentRoutes } from './routes/agents/documents.ts';

const { keys, subscriptions, credits, alerts, inference, analysis, openai, audio, messages, webhooks, operators } =
  routeGroups;

/** The folders of `functions/api`, and the routes whose handlers they have. */
const folders: Readonly<Record<string, readonly Pick<Route, 'id'>[]>> = {
  accounts: Object.values(accountRoutes),
  'accounts/passwords': Object.values(passwordRoutes),
  'accounts/sign-in': Object.values(signInRoutes),
  keys,
  'billing/subscriptions': subscriptions,
  'billing/credits': credits,
  alerts,
  inference,
  'inference/openai': openai,
  analysis,
  agents: Object.values(agentRoutes),
  'agents/conversations': Object.values(conversationRoutes),
  'agents/documents': Object.values(documentRoutes),
  audio,
  messages,
  webhooks,
  operators,
  shared: [{ id: unknownRouteId }],
};

const files = new Map(
  Object.entries(folders).flatMap(([folder, rows]) => rows.map(({ id }) => [id, `${folder}/${id}.ts`])),
);

/** The entry point of an operation, from `functions/api`: `keys/create-key.ts` of `create-key`. Throws where there is none. */
export function handlerFile(id: string): string {
  const file = files.get(id);
  if (file === undefined) throw new Error(`no operation is named ${id}`);
  return file;
}

/** The entry point of a job, from `functions/jobs`: `mail/send-mail.ts` of `send-mail`. */
export const jobFile = ({ feature, id }: Pick<Job, 'feature' | 'id'>): string => `${feature}/${id}.ts`;
