import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { newDelivery } from '#domain/webhooks/delivery.ts';
import { type Webhook, healthy, newSecret, signedHeaders } from '#domain/webhooks/webhook.ts';
import { httpReceiver } from '#gateways/webhooks/http-receiver.ts';
import { benchAccounts } from '../shared/database.ts';

/**
 * Sends the due deliveries of one webhook, then as many bare signed requests. The last line of output contains the time
 * at which the deliveries became due and the CPU time of each, in ms. Usage: `deliverer.ts <database> <receiver URL>
 * <deliveries>`.
 */
const [database = '', url = '', parameter = ''] = process.argv.slice(2);
const count = Number(parameter);
const { webhooks: table, meters, accounts } = tables;
Object.assign(process.env, {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL_DYNAMODB: database,
  [tableVariables.webhooks]: table.name,
  [tableVariables.meters]: meters.name,
  [tableVariables.accounts]: accounts.name,
  WEBHOOK_TARGETS: 'public and loopback',
  POWERTOOLS_SERVICE_NAME: 'text-ai',
  POWERTOOLS_METRICS_NAMESPACE: 'text-ai',
});
const { deliverWebhooks } = await import('#jobs/webhooks.ts');
const handler = deliverWebhooks();
const { dynamoClient } = await import('#runtime/services/dynamo-client.ts');
const { deliveryStore } = await import('#repositories/webhooks/deliveries.ts');
const { webhookStore } = await import('#repositories/webhooks/webhooks.ts');

const client = dynamoClient();
const random = { bytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)) };
const [account] = benchAccounts(1);
const accountId = Number(account?.item['a']);
const found = await client.send(new GetCommand({ TableName: meters.name, Key: { a: accountId } }));
if (!found.Item) await client.send(new PutCommand({ TableName: meters.name, Item: { ...account?.item } }));
const webhook: Webhook = {
  accountId,
  id: `whk_${Date.now()}`,
  url,
  events: ['*'],
  status: 'active',
  secrets: [{ value: newSecret(random) }],
  createdAt: Date.now(),
  revision: 1,
  health: healthy,
};
const names = { webhooks: table.name, accounts: () => accounts.name };
const deliveries = deliveryStore(client, names, 'http://127.0.0.1', random);
await webhookStore(client, table.name, () => meters.name).create(webhook);

const deliveryOf = (id: string) => {
  const at = Math.floor(Date.now() / 1000);
  const data = { accountId, webhookId: webhook.id };
  return newDelivery({ id, type: 'webhook.test', at, data }, webhook, Date.now());
};

async function enqueue(prefix: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += 20) {
    const some = Array.from({ length: 20 }, (_, index) => deliveryOf(`${prefix}${start + index}`));
    await Promise.all(some.map((delivery) => deliveries.add([delivery])));
  }
}

async function deliver(): Promise<void> {
  await deliveries.wake(webhook, Date.now(), Date.now());
  const body = JSON.stringify({ wake: { accountId, ids: [webhook.id], hops: 0 } });
  const { batchItemFailures } = await handler(Object.assign({ Records: [{ messageId: 'wake', body }] }));
  if (batchItemFailures.length > 0) throw new Error('the webhook was not delivered to');
}

/** Uses the concurrency of a webhook worker. */
async function post(requests: number): Promise<void> {
  const receiver = httpReceiver(url, { isAllowed: () => true });
  const secrets = webhook.secrets.map(({ value }) => value);
  const { body } = deliveryOf('evt_post');
  let left = requests;
  async function work(): Promise<void> {
    for (; left > 0;) {
      left -= 1;
      const headers = signedHeaders({ id: 'evt_post', body }, Math.floor(Date.now() / 1000), secrets);
      const { status } = await receiver.send(headers, body);
      if (status !== 204) throw new Error(`the receiver responded with ${status}`);
    }
  }
  await Promise.all(Array.from({ length: 10 }, work));
  receiver.close();
}

/** CPU time per request, in ms. */
async function costOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

await enqueue('evt_warm_', 300);
await deliver();
await post(300);
await enqueue('evt_due_', count);
const dueAt = performance.timeOrigin + performance.now();
const deliveryMs = await costOf(deliver);
const postMs = await costOf(() => post(count));
process.stdout.write(`\n${JSON.stringify({ dueAt, deliveryMs, postMs })}\n`);
client.destroy();
