import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  agentClients,
  type Client,
  furtherClients,
  installedClients,
  pythonClients,
  resultsOf,
  works,
} from '../../bin/openapi/clients.ts';

const text = (path: string) => readFileSync(path, 'utf8');
const { devDependencies } = JSON.parse(text('package.json'));
const { dependencies } = JSON.parse(text('test/clients/further/package.json'));
const { dependencies: agents } = JSON.parse(text('test/clients/agents/package.json'));
const pinned = Object.fromEntries(
  text('test/clients/requirements.txt')
    .split('\n')
    .map((line) => line.split('==')),
);

const versions: readonly (readonly [Client, unknown])[] = [
  ...installedClients.map((client) => [client, devDependencies[client.package]] as const),
  ...furtherClients.map((client) => [client, dependencies[client.package]] as const),
  ...agentClients.map((client) => [client, agents[client.package]] as const),
  ...pythonClients.map((client) => [client, pinned[client.package]] as const),
];

describe('the clients in docs/guides/openai-sdks.md', () => {
  it.each(versions.map(([client, version]) => [client.id, client, version] as const))(
    'lists %s in the pinned version, with every case working',
    (_, client, version) => {
      const results = resultsOf(client);
      expect(results.version).toBe(version);
      const failed = Object.entries(results.cases).filter(([, outcome]) => outcome !== works);
      expect(failed).toEqual([]);
    },
  );

  it('are installed from the registry that the user has configured', () => {
    for (const folder of ['further', 'agents'])
      expect(text(`test/clients/${folder}/package-lock.json`)).not.toContain('"resolved"');
  });
});
