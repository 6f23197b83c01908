import { tokenCost, microPerCredit } from '#contract/billing/prices.ts';
import type { Offer, OfferedPlan } from '#contract/offer/offer.ts';
import { meterShards } from '#contract/platform/resources.ts';
import { routes } from '#contract/routes.ts';
import { traced } from '#lib/stage.ts';
import { type CallShape, concurrencies, meterUnits } from './capacity.ts';

/**
 * List prices in US dollars, us-east-1, as published in November 2026, without free tiers. Check them before use,
 * because AWS changes prices.
 */
export const listPrices = {
  gatewayRequest: 3.5 / 1e6,
  edgeRequest: 1 / 1e6,
  edgeGb: 0.085,
  firewallRequest: 0.6 / 1e6,
  firewallAcl: 5,
  firewallRule: 1,
  functionRequest: 0.2 / 1e6,
  functionGbSecond: 0.0000133334,
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGb: 0.25,
  logGb: 0.5,
  trace: 5 / 1e6,
  metric: 0.3,
  alarmMetric: 0.1,
  dashboard: 3,
  key: 1,
  secret: 0.4,
  mail: 0.1 / 1e3,
  queueRequest: 0.4 / 1e6,
  objectWrite: 5 / 1e6,
  objectTag: 0.01 / 1e4,
  objectGb: 0.023,
} as const;

/** A line of a bill, in US dollars. */
export interface Line {
  readonly item: string;
  readonly usd: number;
}

/** A chat call without the cost of the model: seconds that the function waits, its memory, bytes of the response. */
export interface Call extends CallShape {
  readonly memoryMb: number;
  readonly responseBytes: number;
  /** Concurrent calls of the account, including this one. */
  readonly concurrentCalls: number;
}

const GB = 1e9;

/**
 * Write units of one priced call without concurrent ones: admission and settlement, the ledger row with its share of a
 * count of 128 rows (a transaction of four writes, which count twice), and the key's last use, which is stored at most
 * once a minute. `request` grows with the account's concurrent calls (bench/cost/capacity.ts).
 */
export const writeUnits = { request: 2, ledger: 1 + 8 / 128, key: 1 } as const;

/**
 * Cost of checking holds, for an account's first call in a minute: the write of the index entry, the sweep's read of
 * the item, and the write that removes the entry (docs/adr/0002-holds-watch.md).
 */
export const watchUnits = { write: 3, read: 1 } as const;

/** Log bytes of one call: access log, request line, its metrics, the charge's metric. */
const logBytes = 1840;

/** Bytes that a request's record adds to its log line and to the table, where a record uses at most one write unit. */
const recordBytes = { log: 600, row: 800 } as const;

const tableUnits = (call: CallShape, concurrentCalls: number): number =>
  meterUnits(call, concurrentCalls) + writeUnits.ledger + writeUnits.key;

/** Priced calls in a month, with edge and firewall. */
export function costOfCalls(calls: number, call: Call): readonly Line[] {
  const { seconds, memoryMb, responseBytes, concurrentCalls } = call;
  const p = listPrices;
  const projectorSeconds = 0.05;
  // Worst case: one run per request. Lines usually arrive in batches.
  const recorderSeconds = 0.03;
  const each: readonly Line[] = [
    { item: 'API Gateway', usd: p.gatewayRequest },
    {
      item: 'Lambda, waiting for the model',
      usd: p.functionRequest + (seconds * memoryMb * p.functionGbSecond) / 1024,
    },
    { item: 'Lambda, ledger', usd: p.functionRequest + projectorSeconds * 0.5 * p.functionGbSecond },
    { item: 'DynamoDB', usd: tableUnits(call, concurrentCalls) * p.writeUnit },
    {
      item: 'Checks of holds, if each call is the first of its account in a minute',
      usd: watchUnits.write * p.writeUnit + watchUnits.read * p.readUnit,
    },
    { item: 'Logs', usd: (logBytes / GB) * p.logGb },
    {
      item: 'Request logs, of which storage for 30 days 0.20',
      usd:
        p.functionRequest +
        recorderSeconds * 0.5 * p.functionGbSecond +
        p.writeUnit +
        (recordBytes.log / GB) * p.logGb +
        (recordBytes.row / GB) * p.tableGb,
    },
    { item: 'CloudFront', usd: p.edgeRequest + (responseBytes / GB) * p.edgeGb },
    { item: 'WAF', usd: p.firewallRequest },
    { item: 'Traces', usd: traced * p.trace },
  ];
  return each.map(({ item, usd }) => ({ item, usd: usd * calls }));
}

/** Stored responses of the Responses API, each of `bytes` compressed, for 30 days. */
export function costOfStoredResponses(responses: number, bytes: number): number {
  const { writeUnit, tableGb } = listPrices;
  return responses * (Math.ceil(bytes / 1024) * writeUnit + (bytes / GB) * tableGb);
}

/** Prompts and responses of `bytes` together, stored for 30 days (`storePrompts`). */
export function costOfStoredContents(calls: number, bytes: number): number {
  const { objectWrite, objectTag, objectGb, functionGbSecond } = listPrices;
  const writeSeconds = 0.05;
  return calls * (objectWrite + objectTag + (bytes / GB) * objectGb + writeSeconds * 0.5 * functionGbSecond);
}

/** Rows of docs/deploy.md: DynamoDB for a million whole responses and 3 s streams, by concurrent calls per account. */
export function concurrencyTable(): string {
  const rows = concurrencies.map((calls) => {
    const units = [false, true].map((isStream) => tableUnits({ seconds: 3, isStream }, calls));
    return `| ${[calls.toLocaleString('en-US'), ...units.map((each) => (each * 1e6 * listPrices.writeUnit).toFixed(2))].join(' | ')} |`;
  });
  return rows.join('\n');
}

/** Resources of the templates with monthly charges. */
export interface MonthlyResources {
  readonly keys: number;
  readonly secrets: number;
  readonly firewalls: number;
  readonly firewallRules: number;
  readonly alarmMetrics: number;
  readonly dashboards: number;
  /** Queues that a function consumes. */
  readonly polledQueues: number;
}

/**
 * Lambda polls an idle queue over five connections, each with a long poll of 20 s, and may scale down to two (AWS
 * "Configuring scaling behavior for SQS event source mappings").
 */
const queuePolls = 5 * 3 * 60 * 24 * 30;

/** A month without traffic. */
export function costAtZero({
  keys,
  secrets,
  firewalls,
  firewallRules,
  alarmMetrics,
  dashboards,
  polledQueues,
}: MonthlyResources): readonly Line[] {
  const p = listPrices;
  const sweeps = 60 * 24 * 30;
  // Each run queries all shards of two indexes. An empty result costs half a unit.
  const run = p.functionRequest + 0.1 * 0.5 * p.functionGbSecond;
  const sweep = sweeps * (run + 2 * meterShards * 0.5 * p.readUnit);
  const audioSweep = (sweeps / 15) * (run + 8 * 0.5 * p.readUnit);
  const documentSweep = (sweeps / 5) * (run + 0.5 * p.readUnit);
  const webhookSweep = sweeps * (run + 8 * 0.5 * p.readUnit);
  return [
    { item: 'WAF (`firewall`)', usd: firewalls * p.firewallAcl + firewallRules * p.firewallRule },
    { item: 'Alarms', usd: alarmMetrics * p.alarmMetric },
    { item: 'Dashboard', usd: dashboards * p.dashboard },
    { item: 'Key of accounts, payments, webhooks, agents, responses and messages (`accountsKey`)', usd: keys * p.key },
    { item: 'Secret between edge and firewall', usd: secrets * p.secret },
    { item: 'The sweep, each minute, and its metric', usd: sweep + p.metric },
    { item: 'The sweep of webhooks, each minute', usd: webhookSweep },
    { item: 'The sweep of transcriptions, each quarter of an hour', usd: audioSweep },
    { item: 'The sweep of documents, every five minutes', usd: documentSweep },
    { item: 'Polling of queues', usd: polledQueues * queuePolls * p.queueRequest },
    { item: 'Functions, gateway, tables, edge, email', usd: 0 },
  ];
}

/**
 * Usage of one canary run, including all functions that it invokes (test/local/canary/canary.test.ts counts most of
 * it).
 */
export const walk = {
  requests: 13,
  mails: 4,
  runs: 30,
  gbSeconds: 10,
  writeUnits: 110,
  readUnits: 60,
  logBytes: 40_000,
};

/** A month of the canary, without its model calls. */
export function costOfCanary(): readonly Line[] {
  const p = listPrices;
  const walks = 12 * 24 * 30;
  const each: readonly Line[] = [
    { item: 'Emails', usd: walk.mails * p.mail },
    { item: 'API Gateway, edge, WAF', usd: walk.requests * (p.gatewayRequest + p.edgeRequest + p.firewallRequest) },
    { item: 'Lambda', usd: walk.runs * p.functionRequest + walk.gbSeconds * p.functionGbSecond },
    { item: 'DynamoDB', usd: walk.writeUnits * p.writeUnit + walk.readUnits * p.readUnit },
    { item: 'Traces', usd: walk.requests * traced * p.trace },
    { item: 'Logs', usd: (walk.logBytes / GB) * p.logGb },
  ];
  return [
    { item: 'Alarm and metric', usd: p.alarmMetric + p.metric },
    ...each.map(({ item, usd }) => ({ item, usd: usd * walks })),
  ];
}

/** Resources that a stage has in addition, with a payment provider. */
export type PaymentResources = Pick<MonthlyResources, 'alarmMetrics' | 'polledQueues'>;

/** A month of payments (`payments`) without a sale. */
export function costOfPayments({ alarmMetrics, polledQueues }: PaymentResources): readonly Line[] {
  const p = listPrices;
  const sweeps = 12 * 24 * 30;
  const run = p.functionRequest + 0.5 * 0.5 * p.functionGbSecond;
  // A metric is charged for the hours in which it is written: once a day, and rarely.
  const metric = p.metric / 24;
  return [
    { item: 'Secret with the key of Stripe', usd: p.secret },
    { item: 'Alarms and metric', usd: alarmMetrics * p.alarmMetric + metric },
    { item: 'The sweep of payments, every five minutes', usd: sweeps * (run + 8 * 0.5 * p.readUnit) },
    { item: 'Polling of the queue', usd: polledQueues * queuePolls * p.queueRequest },
  ];
}

/** Lines and their sum as rows of a Markdown table. */
export function table(lines: readonly Line[]): string {
  const rows = [...lines, { item: '**Sum**', usd: sumOf(lines) }];
  return rows.map(({ item, usd }) => `| ${item} | ${usd.toFixed(2)} |`).join('\n');
}

/** Total in US dollars. */
export const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, { usd }) => sum + usd, 0);

const million = 1_000_000;

/** A typical chat: 3 s, 2,000 input and 500 output tokens. */
const typicalUse = { input: 2000, output: 500 };
const typicalChat = {
  seconds: 3,
  isStream: false,
  memoryMb: routes.createChatCompletion.memoryMb,
  responseBytes: 2000,
  concurrentCalls: 5,
};

/** USD for a million typical chats, on AWS without the model. */
export const platformCost = (): number => sumOf(costOfCalls(million, typicalChat));

/** Revenue of a million typical chats: credits, and USD at the plan with the cheapest credits. */
export interface Revenue {
  readonly model: string;
  readonly credits: number;
  /** Undefined if no plan sells credits at a price. */
  readonly usd: number | undefined;
}

export function revenueOf({ models, plans, services }: Offer): Revenue[] {
  const usdPerCredit = cheapestCredit(plans);
  return models
    .filter(({ capabilities }) => capabilities.includes('chat'))
    .map(({ id, price }) => {
      const micro = price ? tokenCost(price, typicalUse) : services.chat;
      const credits = (micro * million) / microPerCredit;
      return { model: id, credits, usd: usdPerCredit === undefined ? undefined : credits * usdPerCredit };
    });
}

function cheapestCredit(plans: readonly OfferedPlan[]): number | undefined {
  const prices = plans.flatMap(({ priceUsd, creditsPerMonth }) =>
    priceUsd && creditsPerMonth ? [priceUsd / creditsPerMonth] : [],
  );
  return prices.length === 0 ? undefined : Math.min(...prices);
}
