import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { type BenchAccount, benchAccounts } from '#bench/shared/database.ts';
import { events, wholeReply } from '#bench/shared/model-replies.ts';
import { tableVariables } from '#contract/platform/environment.ts';
import { type TableId, tables } from '#contract/platform/resources.ts';
import { allRoutes } from '#contract/routes.ts';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { apiHandler, installLambdaRuntime } from '#local/gateway/lambda.ts';
import { startFrontServer } from '#local/gateway/socket.ts';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { createFaults } from '#local/shared/faults.ts';
import { listen, listener, readBody } from '#local/shared/loopback.ts';
import { startTestDatabase } from '../../database/database.ts';
import { withEnvironment } from '../environment.ts';

/** The API without jobs, so that every operation of the database and the model belongs to a request. */
async function startCountedApi() {
  const operations: string[] = [];
  let delayMs = 0;
  let [waiting, roundTrips] = [0, 0];
  let firstPauseMs = 2;
  const database = await startTestDatabase();
  const proxy = await startDynamoProxy({
    upstream: database.url,
    faults: createFaults(),
    async onRequest(operation) {
      operations.push(operation);
      if (delayMs === 0) return;
      if (waiting === 0) roundTrips += 1;
      waiting += 1;
      await sleep(delayMs);
      waiting -= 1;
    },
  });
  const model = await listen(
    listener(async (request, response) => {
      const sent = (await readBody(request)).toString();
      operations.push('model');
      if (!request.url?.endsWith('-stream')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(wholeReply(sent));
        return;
      }
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
      for (const event of events) {
        if (!response.write(payloadPart(event))) await once(response, 'drain');
        await sleep(event === events[0] ? firstPauseMs : 2);
      }
      response.end();
    }),
  );
  const names = Object.entries(tableVariables).map(([id, variable]) => [variable, tables[id as TableId].name]);
  const restore = withEnvironment({
    ...Object.fromEntries(names),
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: model.url,
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  installLambdaRuntime();
  const front = await startFrontServer({ port: 0, routes: allRoutes, handlerOf: apiHandler });
  let accounts = 0;

  /** An account on a plan, with changes to its item. */
  async function account(planRank = 4, about: (item: Record<string, unknown>) => object = () => ({})) {
    accounts += 1;
    const made = benchAccounts(accounts, { planRank }).at(-1) as BenchAccount;
    const item = { ...made.item, ...about(made.item) };
    await database.client.send(new PutCommand({ TableName: tables.meters.name, Item: item }));
    return { ...made, item };
  }

  async function post(path: string, key: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    operations.length = 0;
    const began = performance.now();
    const response = await fetch(front.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const pieces: string[] = [];
    let firstByteMs = 0;
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      firstByteMs ||= performance.now() - began;
      pieces.push(decoder.decode(piece, { stream: true }));
    }
    const lastByteMs = performance.now() - began;
    return {
      status: response.status,
      text: pieces.join(''),
      pieces,
      firstByteMs,
      lastByteMs,
      operations: [...operations],
    };
  }

  /** Delays every request to the database, so that concurrent ones count as one round trip. */
  async function get(path: string, key: string, headers: Readonly<Record<string, string>> = {}) {
    operations.length = 0;
    [delayMs, roundTrips] = [100, 0];
    const response = await fetch(front.origin + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
    const text = await response.text();
    delayMs = 0;
    return {
      status: response.status,
      data: JSON.parse(text).data,
      bytes: Buffer.byteLength(text),
      operations: [...operations],
      roundTrips,
    };
  }

  return {
    client: database.client,
    /** The file of the embedded database. */
    file: database.file,
    account,
    post,
    get,
    /** Delays every request to the database by `ms`. */
    delay(ms: number) {
      delayMs = ms;
    },
    /** Pauses a streamed reply by `ms` after its first piece. */
    pauseModel(ms: number) {
      firstPauseMs = ms;
    },
    async close() {
      restore();
      await front.close();
      await Promise.all([proxy.close(), model.close()]);
      await database.close();
    },
  };
}

/** Starts the API before the tests of a file. */
export function useCountedApi(): Awaited<ReturnType<typeof startCountedApi>> {
  const api = {} as Awaited<ReturnType<typeof startCountedApi>>;
  beforeAll(async () => void Object.assign(api, await startCountedApi()));
  afterAll(() => api.close());
  return api;
}
