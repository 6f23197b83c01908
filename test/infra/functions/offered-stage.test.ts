import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paysCanary } from '#lib/stage.ts';
import { live } from '#lib/stages.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { runCommand } from '#test/run-command.ts';

const example = new URL('../../../examples/offers/open-models.json', import.meta.url);
const root = fileURLToPath(new URL('../../..', import.meta.url));
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

  it('has no canary without a free plan, whose new users could not pay', async () => {
    const offer = JSON.parse(await readFile(example, 'utf8'));
    const canary = JSON.stringify({ ...live, canary: { model: 'acme-large' } });
    const check = `await import(${JSON.stringify(new URL('../../../bin/deployed-offer.ts', import.meta.url).href)});
const { parseStage } = await import(${JSON.stringify(new URL('../../../lib/stages.ts', import.meta.url).href)});
console.log(parseStage(${canary}).canary.model);`;
    const plans = [{ ...offer.plans[0], creditsPerMonth: 0 }, offer.plans[1]];
    await writeFile(join(folder, 'offer.json'), JSON.stringify({ ...offer, plans }));
    await writeFile(join(folder, 'check.mts'), check);
    const { status, err } = await runCommand(relative(root, join(folder, 'check.mts')), [], {}, folder);
    expect([status, err]).toEqual([1, expect.stringContaining('canary must be null: a new account has no credits')]);
    const paid = [0, 5].flatMap((price) => [0, 5].map((creditsPerMonth) => paysCanary({ price, creditsPerMonth })));
    expect(paid).toEqual([false, true, false, false]);
  });

  it('is not synthesized with a faulty offer', async () => {
    await writeFile(join(folder, 'offer.json'), '{ "version": 1, "colour": "red" }');
    const { status, out, err } = await runCommand(script, [], {}, folder);
    expect([status, out, err]).toEqual([2, '', 'offer.json:1: colour is not a field of an offer.\n']);
  });
});
