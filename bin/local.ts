#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { describeError, exitCodeOf, errorSentence, Problem } from '#local/shared/problems.ts';
import { type LocalOptions, parseOptions, usage } from '#local/start/options.ts';

const log = (line: string): void => console.error(line);
const end = (error: unknown): never => {
  log(errorSentence(error));
  process.exit(exitCodeOf(error));
};

// Neither a closed output pipe nor an unhandled rejection in a function may end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.on('unhandledRejection', (reason) => log(`Unhandled rejection: ${describeError(reason)}`));

/** Must run before the service is loaded, because the service reads the offer once. */
async function useOffer(file: string): Promise<void> {
  const { loadOffer, OfferError } = await import('#lib/offer.ts');
  try {
    process.env['OFFER'] = JSON.stringify(loadOffer(file, { isLocal: true }));
  } catch (error) {
    throw error instanceof OfferError ? new Problem(error.message, 2) : error;
  }
}

async function serve(options: LocalOptions): Promise<void> {
  enableCompileCache();
  if (options.offer !== undefined) await useOffer(options.offer);
  const [{ startService }, { engineName, welcome }] = await Promise.all([
    import('#local/start/service.ts'),
    import('#local/start/welcome.ts'),
  ]);
  let isReady = false;
  const access = (line: string): void => void (isReady && console.log(line));
  const runtime = process.env['AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME'];
  const service = await startService({ ...options, buildDashboard: true, log, access });
  isReady = true;
  console.log(welcome(service.status, engineName(options, runtime)));
  service.died.then(end, end);

  let stoppedAt: number | undefined;
  const stop = (): void => {
    // The terminal and npm both send the signal: ignore a second one within 500 ms.
    if (stoppedAt !== undefined && performance.now() - stoppedAt < 500) return;
    if (stoppedAt !== undefined) process.exit(1);
    stoppedAt = performance.now();
    console.log('Stopping when open requests have completed. Ctrl-C again stops immediately.');
    service.close().then(() => process.exit(0), end);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(usage);
  else await serve(options);
} catch (error) {
  end(error);
}
