import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { furtherClients, pythonClients, resultsFile } from '../../bin/openapi/clients.ts';
import { asFile, clientMs, installPackages, installPython, runFurther, runPython } from './run-client.ts';
import { useStartedService } from './start.ts';

const access = useStartedService();

describe('npm start', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await installPackages('further');
  }, 330_000);

  it.each(furtherClients.map((client) => [client.package, client] as const))(
    'produces the stored results of %s',
    async (_, client) => {
      const results = await runFurther(client, folder, access);
      await expect(asFile(results)).toMatchFileSnapshot(fileURLToPath(resultsFile(client)));
    },
    clientMs,
  );
});

/** Python takes minutes to install. */
describe.runIf(process.env['LONG'])('npm start, for clients in Python', () => {
  let folder: string | undefined;
  let reason = '';
  beforeAll(async () => {
    folder = await installPython().catch((error: unknown) => {
      reason = `The Python clients cannot be installed: ${String(error).slice(0, 300)}`;
      return undefined;
    });
  }, 1_200_000);

  it.for(pythonClients.map((client) => [client.package, client] as const))(
    'produces the stored results of %s',
    { timeout: clientMs },
    async ([, client], { skip }) => {
      if (folder === undefined) skip(reason);
      const results = await runPython(client, folder ?? '', access);
      await expect(asFile(results)).toMatchFileSnapshot(fileURLToPath(resultsFile(client)));
    },
  );
});
