import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { runCommand } from '#test/run-command.ts';

const example = new URL('../../../examples/offers/open-models.json', import.meta.url);
const script = 'test/support/stages/offered-stage.ts';

describe('a stage with an offer of models behind OpenAI’s API', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await testFolder();
  });
  afterAll(() => removeFolder(folder));

  it('bundles the offer with functions and canary, and its functions may read the secret and invoke no endpoint', async () => {
    await cp(example, join(folder, 'offer.json'));
    const { status, out, err } = await runCommand(script, [], {}, folder);
    expect([status, err]).toEqual([0, '']);
    const { grants, offer, canary } = JSON.parse(out);
    expect(canary).toContain('https://models.acme.example/v1');
    const named = (models: readonly { id: string }[]) => models.map(({ id }) => id);
    const { models } = JSON.parse(await readFile(example, 'utf8'));
    expect(named(JSON.parse(JSON.parse(offer)).models)).toEqual(named(models));
    const text = JSON.stringify(grants);
    expect(text).toContain('secret:acme-models-??????');
    expect(text).not.toContain('sagemaker:InvokeEndpoint"');
  }, 60_000);

  it('is not synthesized with a faulty offer', async () => {
    await writeFile(join(folder, 'offer.json'), '{ "version": 1, "colour": "red" }');
    const { status, out, err } = await runCommand(script, [], {}, folder);
    expect([status, out, err]).toEqual([2, '', 'offer.json:1: colour is not a field of an offer.\n']);
  });
});
