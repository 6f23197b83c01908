import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { bundlingWith } from '#lib/constructs/function-code.ts';
import { startBedrock } from '#local/bedrock/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { nova } from '#test/models/bedrock.ts';
import { demo } from '#test/models/model-families.ts';

/** Prints the text of a whole reply and the length of a streamed one. */
const script = `
import { bedrockRuntime } from '#gateways/bedrock/bedrock-runtime.ts';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
const runtime = bedrockRuntime();
const body = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 };
const invocation = { place: { kind: 'bedrock', model: '${nova}' }, body, maxBytes: 1e6 };
const { choices } = await runtime.reply(invocation)(new Deadline(5000));
let parts = '';
for await (const part of runtime.parts(invocation)(new Deadline(5000))) parts += part;
console.log(choices[0].message.content);
console.log(parts.includes('"finish_reason":"length"'));
process.exit();`;

const folder = await testFolder();
const server = await startBedrock({ engine: demo, faults: createFaults(), models: new Set([nova]) });
afterAll(async () => {
  await server.close();
  await removeFolder(folder);
});

it('the client of Bedrock works in the bundle of a function, whose modules of Node.js are replaced', async () => {
  const { outExtension: _, ...options } = bundlingWith({ withStripe: false, withBedrock: true });
  const outfile = join(folder, 'call.mjs');
  const stdin = { contents: script, resolveDir: import.meta.dirname };
  buildSync({ ...options, splitting: false, stdin, outfile });
  const env = {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { env });
  expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('demo engine'), 'true']);
});
