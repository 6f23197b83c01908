import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { installedClients, resultsFile } from '../../bin/openapi/clients.ts';
import { asFile, clientMs, runInstalled } from './run-client.ts';
import { useStartedService } from './start.ts';

const access = useStartedService();

describe('npm start', () => {
  it.each(installedClients.map((client) => [client.package, client] as const))(
    'produces the stored results of %s',
    async (_, client) => {
      const results = await runInstalled(client, access);
      await expect(asFile(results)).toMatchFileSnapshot(fileURLToPath(resultsFile(client)));
    },
    clientMs,
  );
});
