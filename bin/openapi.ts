#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { answersFile, readAnswers } from './openapi/answers.ts';
import { openApiDocument } from './openapi/document.ts';

const usage = `Usage: node bin/openapi.ts [--record | --check]

Writes docs/openapi.json from the route table, and the tables of docs/api.md.

  --record   first starts the service and records anew what it answers to each operation's sample
  --check    writes nothing; exit status 1 when a file is not as it would be written
`;

const documentFile = new URL('../docs/openapi.json', import.meta.url);
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

async function record(): Promise<void> {
  const { recordAnswers } = await import('./openapi/record.ts');
  await writeFile(answersFile, json(await recordAnswers()));
}

async function files(): Promise<[URL, string][]> {
  return [[documentFile, json(openApiDocument(await readAnswers()))]];
}

async function run(): Promise<number> {
  const options = { record: { type: 'boolean' }, check: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  if (values.help || (values.record && values.check)) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  if (values.record) await record();
  const wanted = await files();
  if (!values.check) {
    for (const [file, text] of wanted) await writeFile(file, text);
    return 0;
  }
  const read = (file: URL): Promise<string> => readFile(file, 'utf8').catch(() => '');
  const stale = await Array.fromAsync(wanted, async ([file, text]) => ((await read(file)) === text ? [] : [file]));
  for (const [file] of stale) if (file) console.error(`${file.pathname} is stale: npm run openapi`);
  return stale.some((files) => files.length > 0) ? 1 : 0;
}

process.exitCode = await run();
