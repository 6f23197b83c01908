#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openApiDocument } from './openapi/document.ts';
import { readRecordedResponses, recordedResponsesFile } from './openapi/recorded-responses.ts';
import { withTables } from './openapi/tables.ts';

const usage = `Usage: node bin/openapi.ts [--record | --check]

Writes docs/openapi.json from the route table, and the tables of docs/api.md.

  --record   first starts the service and records its response to each operation's sample
  --check    writes nothing; exit status 1 when a file is not as it would be written
`;

const documentFile = new URL('../docs/openapi.json', import.meta.url);
const pageFile = new URL('../docs/api.md', import.meta.url);
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

async function record(): Promise<void> {
  const { recordResponses } = await import('./openapi/record.ts');
  await writeFile(recordedResponsesFile, json(await recordResponses()));
}

/** The generated files with their expected text. */
async function files(): Promise<readonly [URL, string][]> {
  const document = json(openApiDocument(await readRecordedResponses()));
  return [
    [documentFile, document],
    [pageFile, withTables(await readFile(pageFile, 'utf8'))],
  ];
}

async function staleFiles(): Promise<URL[]> {
  const read = (file: URL): Promise<string> => readFile(file, 'utf8').catch(() => '');
  const found: URL[] = [];
  for (const [file, text] of await files()) if ((await read(file)) !== text) found.push(file);
  return found;
}

async function run(): Promise<number> {
  const options = { record: { type: 'boolean' }, check: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  if (values.help || (values.record && values.check)) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  if (values.check) {
    const stale = await staleFiles();
    for (const { pathname } of stale) console.error(`${pathname} is stale: npm run openapi`);
    return stale.length > 0 ? 1 : 0;
  }
  if (values.record) await record();
  for (const [file, text] of await files()) await writeFile(file, text);
  return 0;
}

process.exitCode = await run();
