#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { access, appendFile, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { prices } from '#contract/billing/prices.ts';
import { allRoutes } from '#contract/routes.ts';
import * as templates from './endpoint/templates.ts';

const usage = `Usage: npm run new:endpoint -- NAME [--service SERVICE]

Writes the skeleton of a priced endpoint, POST /api/ai/NAME, and a test that fails until the endpoint is implemented
(docs/adding-an-endpoint.md). NAME is in kebab-case, such as sum-up.

  --service SERVICE  the service that its calls are charged as: ${Object.keys(prices).filter(isChargeable).join(', ')} (text_analysis)
`;

function isChargeable(name: string): name is templates.EndpointService {
  return Object.hasOwn(prices, name) && !['chat', 'completion', 'embeddings', 'transcription'].includes(name);
}

const filesOf = ({ id }: templates.EndpointNames) => ({
  schemas: `functions/contract/inference/${id}.ts`,
  test: `test/api/inference/${id}.test.ts`,
});

async function isTaken(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Inserts text before or after a line. Throws unless the file contains the line exactly once. */
async function insert(file: string, place: { before: string } | { after: string }, added: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const line = 'before' in place ? place.before : place.after;
  if (text.split(line).length !== 2) throw new Error(`${file} must contain the line ${line.trim()} exactly once`);
  await writeFile(
    file,
    text.replace(line, () => ('before' in place ? added + line : line + added)),
  );
}

async function create(names: templates.EndpointNames, service: templates.EndpointService): Promise<string[]> {
  const files = filesOf(names);
  if (allRoutes.some(({ id }) => id === names.id)) throw new Error(`the operation ${names.id} already exists`);
  for (const path of Object.values(files)) if (await isTaken(path)) throw new Error(`${path} already exists`);
  const routes = 'functions/contract/routes/inference.ts';
  const operations = 'functions/api/inference.ts';
  const samples = 'functions/contract/samples.ts';
  const calls = 'test/support/contract/every-operation.ts';
  await insert(routes, { before: '} as const satisfies' }, templates.row(names, service));
  await insert(
    routes,
    { before: "import { littleMemory, modelCalls } from './model-calls.ts';\n" },
    templates.schemaImport(names),
  );
  await insert(operations, { before: 'import type { Operation, PricedOperation }' }, templates.operationImport);
  await appendFile(operations, templates.operation(names, service));
  await insert(samples, { before: "  'get-openai-model':" }, templates.sample(names));
  await insert(calls, { after: "  await send('getOpenAiModel', { key });\n" }, templates.call(names));
  await writeFile(files.schemas, templates.schemas(names));
  await writeFile(files.test, templates.test(names, service));
  return [...Object.values(files), routes, operations, samples, calls];
}

async function run(): Promise<number> {
  const options = { service: { type: 'string', default: 'text_analysis' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const names = templates.namesOf(positionals[0] ?? '');
  if (values.help || !names || positionals.length > 1 || !isChargeable(values.service)) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  const written = await create(names, values.service);
  execFileSync('node_modules/.bin/oxfmt', written, { stdio: 'ignore' });
  execFileSync(process.execPath, ['bin/openapi.ts'], { stdio: 'inherit' });
  console.log(
    [
      ...written,
      'docs/openapi.json',
      '',
      `Next: docs/adding-an-endpoint.md. npx vitest run ${filesOf(names).test}`,
    ].join('\n'),
  );
  return 0;
}

process.exitCode = await run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
