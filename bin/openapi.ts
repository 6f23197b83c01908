#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { generatedDocs } from './openapi/document.ts';

const usage = `Usage: npx node bin/openapi.ts [--check]

Writes docs/openapi.json from the route table and bin/openapi/examples.json, and the tables of docs/webhooks.md and docs/guides.

  --check  writes nothing; exit status 1 if a file is stale
`;

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  let stale = 0;
  for (const [path, text] of await generatedDocs()) {
    const file = new URL(`../docs/${path}`, import.meta.url);
    if (!values.check) await writeFile(file, text);
    else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      console.error(`${file.pathname} is stale: npm run openapi`);
      stale += 1;
    }
  }
  return stale > 0 ? 1 : 0;
}

process.exitCode = await run();
