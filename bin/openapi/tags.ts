import { messagesPlan, webhooksPlan } from '#contract/billing/plans.ts';
import type { Route } from '#contract/http/route.ts';

/** Empty if no plan is sold with the feature. */
const fromPlan = ({ name }: typeof messagesPlan): string => (name === undefined ? '' : `, from the plan ${name} up`);

interface Tag {
  readonly name: string;
  readonly description: string;
  readonly paths: readonly string[];
}

/** Resources in the order in which a new user needs them. */
export const tags: readonly Tag[] = [
  {
    name: 'Inference',
    description: 'Chat, text completion, embeddings, translation, text analysis, and their models.',
    paths: ['/v1/', '/api/ai/'],
  },
  {
    name: 'OpenAI clients',
    description:
      'The same inference with OpenAI responses and `error` objects, for the official SDKs: set their base URL.',
    paths: ['/openai/v1/'],
  },
  {
    name: 'Anthropic clients',
    description: 'The same chat models with the responses, events and errors of Anthropic’s Messages API.',
    paths: ['/anthropic'],
  },
  {
    name: 'Agents',
    description: 'A model with your instructions, functions and documents, and conversations that are kept.',
    paths: ['/api/agents'],
  },
  {
    name: 'Messages',
    description: `SMS and voice calls to phones${fromPlan(messagesPlan)}. Each is handed to the carrier once.`,
    paths: ['/api/messages'],
  },
  {
    name: 'Accounts',
    description: 'Registration, sign-in, sessions and the account itself.',
    paths: ['/api/auth/', '/api/account/'],
  },
  {
    name: 'Organizations',
    description: 'Organizations, their members and their roles, and invitations.',
    paths: ['/api/organizations', '/api/invitations'],
  },
  {
    name: 'API keys',
    description: 'Keys are managed by a signed-in user, never by a key. A key is shown once, when it is created.',
    paths: ['/api/keys'],
  },
  {
    name: 'Subscriptions',
    description: 'Monthly plans: credits each month, limits per minute, models.',
    paths: ['/api/subscription'],
  },
  {
    name: 'Payments',
    description: 'Purchases of credits and plans, the automatic top-up, invoices and receipts.',
    paths: ['/api/payments'],
  },
  {
    name: 'Credits',
    description:
      'Balance, grants with their expiry, the ledger, prices, quotas, usage, alerts and the log of requests.',
    paths: ['/api/credits', '/api/services', '/api/usage', '/api/limits', '/api/alerts', '/api/requests'],
  },
  {
    name: 'Webhooks',
    description: `Your endpoints, to which events of the account are sent${fromPlan(webhooksPlan)}. Requests are signed according to Standard Webhooks.`,
    paths: ['/api/webhooks'],
  },
  {
    name: 'Operators',
    description: 'Administration of accounts by operators of the service.',
    paths: ['/api/operator/'],
  },
];

/** Throws for a path without a tag. Add new resources above. */
export function tagOf(route: Route): string {
  return tags.find((tag) => hasPath(tag, route))?.name ?? untagged(route);
}

export function inOrder(routes: readonly Route[]): readonly Route[] {
  const beginnings = tags.flatMap(({ paths }) => paths);
  const place = ({ path }: Route): number => beginnings.findIndex((beginning) => path.startsWith(beginning));
  return routes.toSorted((one, other) => place(one) - place(other));
}

const hasPath = ({ paths }: Tag, { path }: Route): boolean => paths.some((beginning) => path.startsWith(beginning));

function untagged({ path }: Route): never {
  throw new Error(`no tag of the API reference contains the path ${path}`);
}
