import { installLambdaRuntime } from '#local/gateway/lambda.ts';

/** Serves the API in a separate process that a test may kill: `serve-routes.ts <clock offset>`. Prints its address. */
installLambdaRuntime();
process.on('SIGTERM', () => process.exit());
// The input ends with the process that started this one, even if that process was killed.
process.stdin.on('end', () => process.exit()).resume();
const { ambient } = await import('#runtime/process.ts');
ambient.clock = { now: () => Date.now() + Number(process.argv[2]) };
const { startFrontServer } = await import('#local/gateway/socket.ts');
const { apiHandler } = await import('#local/gateway/lambda.ts');
const { allRoutes } = await import('#contract/routes.ts');
const { origin } = await startFrontServer({ port: 0, routes: allRoutes, handlerOf: apiHandler });
process.stdout.write(origin);
