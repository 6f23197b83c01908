import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { usePerson, useTestService } from '#test/service/service.ts';
import { installedClients, resultsFile } from '../../bin/openapi/clients.ts';
import { asFile, clientMs, runInstalled } from './run-client.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 4 });

describe('the service', () => {
  it.each(installedClients.map((client) => [client.package, client] as const))(
    'produces the stored results of %s',
    async (_, client) => {
      const results = await runInstalled(client, { origin: service.origin, key: person.key });
      await expect(asFile(results)).toMatchFileSnapshot(fileURLToPath(resultsFile(client)));
    },
    clientMs,
  );
});
