#!/usr/bin/env node
import './deployed-offer.ts';
import { parseArgs } from 'node:util';
import Stripe from 'stripe';
import { routes } from '#contract/routes.ts';
import { stageNamed } from '#lib/stages.ts';
import { findStack, type Clients, createClients, regionOf } from './preflight/account.ts';
import { modeOf, readApiKey, setUpStripe, type Step } from './stripe/set-up.ts';

const usage = `Usage: npm run stripe-setup -- STAGE [--check]

Creates the webhook endpoint of a deployed stage (lib/stages.ts) in its Stripe account, and sets the features of the
customer portal (docs/payments.md#set-up). Prints the signing secret of a new endpoint. The command can be repeated.

  --check  changes nothing; exit status 1 if something differs

Environment: AWS region and credentials. STRIPE_KEY is used in place of the key in the stage's secret, whose permissions
need not include webhook endpoints.
`;

async function main(): Promise<number> {
  const options = { help: { type: 'boolean' }, check: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [name, ...rest] = positionals;
  if (values.help || name === undefined || rest.length > 0) {
    process.stdout.write(usage);
    return values.help ? 0 : 1;
  }
  const { env, payments } = stageNamed(name);
  if (!payments) throw new Error(`The stage ${name} has no payments: set payments in lib/stages.ts.`);
  const region = await regionOf(env?.region);
  if (region === undefined) throw new Error('There is no region: set AWS_REGION, or env of the stage.');
  const clients = createClients(region);
  const apiKey = process.env['STRIPE_KEY'] ?? (await readApiKey(clients.secrets, payments.stripe.secret));
  const isCheck = values.check ?? false;
  const stripe = new Stripe(apiKey, { timeout: 10_000, telemetry: false, ...stripeApi() });
  const steps = await setUpStripe({ stripe, url: await eventsUrl(clients, name), isCheck });
  console.log(`Stripe, ${modeOf(apiKey)} mode`);
  for (const step of steps) console.log(lineOf(step, payments.stripe.secret));
  return steps.some(({ status }) => status === 'wrong') ? 1 : 0;
}

function lineOf({ status, detail, signingSecret }: Step, secret: string): string {
  const line = `${status.padEnd(7)}  ${detail}`;
  if (signingSecret === undefined) return line;
  return `${line}\n\nAdd its signing secret to webhookSecrets of the secret ${secret}:\n\n${signingSecret}\n`;
}

async function eventsUrl({ cloudFormation }: Clients, stage: string): Promise<string> {
  const stack = await findStack(cloudFormation, `text-ai-${stage}-api`);
  const url = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'ApiUrl')?.OutputValue;
  if (url === undefined) throw new Error(`The stage ${stage} is not deployed: deploy it first.`);
  return `${url}${routes.receiveStripeEvent.path.replace(/^\/api/, '')}`;
}

/** Connection settings for another API origin, which tests set in STRIPE_API. */
function stripeApi() {
  const { STRIPE_API } = process.env;
  if (STRIPE_API === undefined) return {};
  const { hostname: host, port, protocol } = new URL(STRIPE_API);
  return { host, port, protocol: protocol === 'http:' ? 'http' : 'https' } as const;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
