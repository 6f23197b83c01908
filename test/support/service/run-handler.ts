import { text } from 'node:stream/consumers';
import { apiHandler } from '#local/gateway/lambda.ts';
import { ambient } from '#runtime/process.ts';

/**
 * Runs one event through a handler in a separate process that a test may kill: `run-handler.ts <id> <clock offset>`.
 * Reads the event from standard input and prints the response.
 */
const [id = '', offsetMs] = process.argv.slice(2);
ambient.clock = { now: () => Date.now() + Number(offsetMs) };
const handler = await apiHandler(id);
process.stdout.write(JSON.stringify(await handler(JSON.parse(await text(process.stdin)), {})));
