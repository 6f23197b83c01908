#!/usr/bin/env node
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openApiDocument } from './openapi/document.ts';
import { readExamples } from './openapi/operation.ts';
import { withTables } from './openapi/tables.ts';

const usage = `Usage: npx node bin/openapi.ts [--check]

Writes docs/openapi.json from the route table and bin/openapi/examples.json, and the tables of docs/api.md, docs/webhooks.md and docs/guides.

  --check  writes nothing; exit status 1 if a file is stale
`;

const documentFile = new URL('../docs/openapi.json', import.meta.url);
const guides = new URL('../docs/guides/', import.meta.url);

/** The generated files with their expected text. */
async function files(): Promise<readonly (readonly [file: URL, text: string])[]> {
  const document = `${JSON.stringify(openApiDocument(await readExamples()), undefined, 2)}\n`;
  const pages = ['../api.md', '../webhooks.md', ...(await readdir(guides))].map((name) => new URL(name, guides));
  const texts = withTables(await Promise.all(pages.map((page) => readFile(page, 'utf8'))));
  return [[documentFile, document], ...pages.map((page, index) => [page, texts[index] ?? ''] as const)];
}

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  let stale = 0;
  for (const [file, text] of await files()) {
    if (!values.check) await writeFile(file, text);
    else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      console.error(`${file.pathname} is stale: npm run openapi`);
      stale += 1;
    }
  }
  return stale > 0 ? 1 : 0;
}

process.exitCode = await run();
