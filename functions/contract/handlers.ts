import type { Route } from './http/route.ts';
import type { Job } from './jobs.ts';
import { allRoutes, unknownRouteId } from './routes.ts';
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

type Rows = Readonly<Record<string, Route>>;

/**
 * Files of `functions/api` with the files of `contract/routes` that they implement. The export for each route has the
 * route's name.
 */
const files: readonly (readonly [file: string, rowsFile: string, rows: Readonly<Record<string, Rows>>])[] = [
  ['accounts', 'accounts', { accountRoutes }],
  ['accounts', 'sign-in', { passwordRoutes, signInRoutes }],
  ['organizations', 'organizations', { organizationRoutes }],
  ['second-factor', 'second-factor', { secondFactorRoutes }],
  ['passkey-verification', 'second-factor', { passkeyVerificationRoutes }],
  ['keys', 'keys', { keyRoutes }],
  ['subscriptions', 'subscriptions', { subscriptionRoutes }],
  ['payments', 'payments', { paymentRoutes }],
  ['credits', 'credits', { creditRoutes }],
  ['credits', 'alerts', { alertRoutes }],
  ['inference', 'inference', { inferenceRoutes }],
  ['openai', 'openai', { openAiRoutes }],
  ['anthropic', 'anthropic', { anthropicRoutes }],
  ['responses', 'responses', { responseRoutes }],
  ['analysis', 'analysis', { analysisRoutes }],
  ['agents', 'agents', { agentRoutes }],
  ['agents', 'conversations', { conversationRoutes }],
  ['agents', 'documents', { documentRoutes }],
  ['audio', 'audio', { audioRoutes }],
  ['messages', 'messages', { messageRoutes }],
  ['webhooks', 'webhooks', { webhookRoutes }],
  ['operators', 'operators', { operatorRoutes }],
];

/**
 * Location of an operation: the file in `functions/api`, its export, and the source of the Lambda function's entry
 * point.
 */
export interface OperationPlace {
  readonly file: string;
  readonly name: string;
  readonly route: Route;
  readonly entry: string;
}

const places: ReadonlyMap<string, OperationPlace> = new Map(
  files.flatMap(([file, rowsFile, groups]) =>
    Object.entries(groups).flatMap(([group, rows]) =>
      Object.entries(rows).map(([name, route]) => {
        const [build, from] = route.priced ? ['pricedEndpoint', 'priced-endpoint'] : ['endpoint', 'endpoint'];
        const entry = `import { ${name} } from '#api/${file}.ts';
import { ${group} } from '#contract/routes/${rowsFile}.ts';
import { ${build} } from '#runtime/${from}.ts';
export const handler = ${build}(${group}.${name}, ${name});
`;
        return [route.id, { file, name, route, entry }] as const;
      }),
    ),
  ),
);

/** Throws if no operation has the id. */
export function operationPlace(id: string): OperationPlace {
  const place = places.get(id);
  if (place === undefined) throw new Error(`no operation is named ${id}`);
  return place;
}

/** Repeats the route names, because importing their declarations would double the bundle. */
const unknownRouteEntry = `import { unknownRoute } from '#runtime/unknown-route.ts';
export const handler = unknownRoute(${JSON.stringify(allRoutes.map(({ method, path }) => ({ method, path })))});
`;

/** Source of the entry point of a route's Lambda function. */
export const routeEntry = (id: string): string =>
  id === unknownRouteId ? unknownRouteEntry : operationPlace(id).entry;

/** Source of the entry point of a job's Lambda function. */
export const jobEntry = ({ feature, id }: Pick<Job, 'feature' | 'id'>): string =>
  `import { ${jobName(id)} } from '#jobs/${feature}.ts';
export const handler = ${jobName(id)}();
`;

/** The export of a job's file that builds its handler: `sendMail` of `send-mail`. */
export const jobName = (id: string): string => id.replaceAll(/-./g, ([, letter = '']) => letter.toUpperCase());
