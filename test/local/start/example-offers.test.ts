import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startOffered } from '#test/service/offered-service.ts';

const examples = new URL('../../../examples/offers/', import.meta.url);
const names = readdirSync(examples).filter((name) => name !== 'offer.schema.json');

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => removeFolder(folder));

it.each(names)(
  'npm start serves the models of the example %s',
  async (name) => {
    const offer = JSON.parse(readFileSync(new URL(name, examples), 'utf8'));
    const service = await startOffered(offer, folder);
    const { body } = await service.call('GET', '/v1/models');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(offer.models.map(({ id }: { id: string }) => id));
    await service.stop();
  },
  60_000,
);
