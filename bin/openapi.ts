#!/usr/bin/env node
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { breakingChanges } from './openapi/compatibility/breaking-changes.ts';
import { openApiDocument } from './openapi/document.ts';
import { readRecordedResponses, recordedResponsesFile } from './openapi/recorded/recorded-responses.ts';
import { withTables } from './openapi/tables.ts';

const usage = `Usage: npx node bin/openapi.ts [--record] [--breaking] | --check

Writes docs/openapi.json from the route table, and the tables of docs/api.md, docs/webhooks.md and docs/guides. Refuses where the document that is there promises
what the new one does not: a page that is open during a deployment, and every program, was made for that one.

  --record    first starts the service and records its response to each operation's sample
  --breaking  writes it all the same (docs/adr/0015-api-before-page.md has how such a change is deployed)
  --check     writes nothing; exit status 1 when a file is not as it would be written
`;

const documentFile = new URL('../docs/openapi.json', import.meta.url);
const guides = new URL('../docs/guides/', import.meta.url);
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

async function record(): Promise<void> {
  const { recordResponses } = await import('./openapi/recorded/record.ts');
  await writeFile(recordedResponsesFile, json(await recordResponses()));
}

type Written = readonly [file: URL, text: string];

async function files(): Promise<readonly [document: Written, ...pages: Written[]]> {
  const document = json(openApiDocument(await readRecordedResponses()));
  const pages = ['../api.md', '../webhooks.md', ...(await readdir(guides))].map((name) => new URL(name, guides));
  const texts = withTables(await Promise.all(pages.map((page) => readFile(page, 'utf8'))));
  return [[documentFile, document], ...pages.map((page, index): Written => [page, texts[index] ?? ''])];
}

async function staleFiles(): Promise<URL[]> {
  const read = (file: URL): Promise<string> => readFile(file, 'utf8').catch(() => '');
  const found: URL[] = [];
  for (const [file, text] of await files()) if ((await read(file)) !== text) found.push(file);
  return found;
}

/** Breaking changes relative to the committed document. */
async function breakingChangesOf(text: string): Promise<readonly string[]> {
  const before = await readFile(documentFile, 'utf8').catch(() => '{}');
  return breakingChanges(JSON.parse(before), JSON.parse(text));
}

const flag = { type: 'boolean' } as const;

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { record: flag, breaking: flag, check: flag, help: flag } });
  if (values.help || (values.check && (values.record || values.breaking))) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  if (values.check) {
    const stale = await staleFiles();
    for (const { pathname } of stale) console.error(`${pathname} is stale: npm run openapi`);
    return stale.length > 0 ? 1 : 0;
  }
  if (values.record) await record();
  const written = await files();
  const broken = values.breaking ? [] : await breakingChangesOf(written[0][1]);
  for (const problem of broken) console.error(problem);
  if (broken.length > 0)
    console.error('Nothing was written: the API only adds. Run with --breaking to write it anyway.');
  else for (const [file, text] of written) await writeFile(file, text);
  return broken.length > 0 ? 1 : 0;
}

process.exitCode = await run();
