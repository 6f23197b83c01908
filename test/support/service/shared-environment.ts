#!/usr/bin/env node
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { loadOffer } from '#lib/offer.ts';

type Values = Record<PropertyKey, unknown>;
type Handle = (event: APIGatewayProxyEvent, stream: unknown, context: Context) => unknown;

/**
 * Serves the deployed bundle of one route with an offer, all calls at the same time in one environment, in a worker thread
 * as in Lambda Managed Instances (AWS "Node.js runtime for Lambda Managed Instances"). Usage: `shared-environment.ts <route
 * id> <offer file> <folder for the bundle>`. Prints its origin, and then the function's log. A call's trace is its header
 * `x-call`.
 */
const [id = '', offer = '', folder = ''] = process.argv.slice(2);
if (!isMainThread) await serve();
else
  new Worker(fileURLToPath(import.meta.url), { argv: [id, offer, folder] }).on('error', (error) => {
    throw error;
  });

async function serve(): Promise<void> {
  process.env['OFFER'] = JSON.stringify(loadOffer(offer, { isLocal: true }));
  const { routeEntry } = await import('#contract/handlers.ts');
  const { allRoutes } = await import('#contract/routes.ts');
  const { bundle } = await import('#lib/constructs/function-code.ts');
  const { installLambdaRuntime } = await import('#local/gateway/lambda.ts');
  const { startFrontServer } = await import('#local/gateway/socket.ts');

  /** Values of the running call, which Lambda's runtime provides to libraries. Outside of a call, `set` throws. */
  const current = new AsyncLocalStorage<Values>();
  const store = {
    get: (key: PropertyKey) => current.getStore()?.[key],
    set(key: PropertyKey, value: unknown): void {
      const values = current.getStore();
      if (!values) throw new Error('No context available');
      values[key] = value;
    },
    hasContext: () => current.getStore() !== undefined,
    getXRayTraceId: () => current.getStore()?.['trace'],
  };

  installLambdaRuntime();
  const { streamifyResponse, ...others } = Reflect.get(globalThis, 'awslambda');
  Reflect.set(globalThis, 'awslambda', {
    ...others,
    InvokeStore: store,
    streamifyResponse: (handle: Handle) =>
      streamifyResponse((event: APIGatewayProxyEvent, stream: unknown, context: Context) =>
        current.run({ trace: `Root=${event.headers['x-call']}` }, () => handle(event, stream, context)),
      ),
  });
  bundle(routeEntry(id), folder);
  const { handler } = await import(pathToFileURL(join(folder, 'index.mjs')).href);
  const routes = allRoutes.filter((route) => route.id === id);
  const { origin } = await startFrontServer({ port: 0, routes, handlerOf: async () => handler });
  console.log(JSON.stringify({ origin }));
}
