import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allRoutes } from '#contract/routes.ts';
import { installLambdaRuntime, type LambdaHandler } from '#local/gateway/lambda.ts';
import { startFrontServer } from '#local/gateway/socket.ts';

/** Runs the deployed bundles behind the local front server. Usage: `ours.ts <port> <folder of bundles>`. */
const [port, folder = ''] = process.argv.slice(2);
const handlers = new Map<string, Promise<LambdaHandler>>();
installLambdaRuntime();

async function load(id: string): Promise<LambdaHandler> {
  const { handler } = await import(pathToFileURL(join(folder, id, 'index.mjs')).href);
  return handler;
}

function handlerOf(id: string): Promise<LambdaHandler> {
  const loaded = handlers.get(id) ?? load(id);
  handlers.set(id, loaded);
  return loaded;
}

await startFrontServer({ port: Number(port), routes: allRoutes, handlerOf });
