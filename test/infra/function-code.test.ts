import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionCode } from '#lib/constructs/function-code.ts';

const entries = ['create-chat-completion', 'unknown-route'];
const outdir = mkdtempSync(join(tmpdir(), 'function-code-'));
let folders: readonly string[];

beforeAll(() => {
  const app = new App({ outdir });
  const stack = new Stack(app, 'stack');
  for (const entry of entries) addFunction(stack, entry);
  app.synth();
  folders = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
});

afterAll(() => rmSync(outdir, { recursive: true }));

test('every entry point becomes code of its own', () => {
  expect(folders).toHaveLength(entries.length);
});

const script = 'import(process.argv[1]).then(({ handler }) => console.log(typeof handler))';

test('the code needs nothing beside it to load', () => {
  for (const folder of folders) {
    const printed = execFileSync(process.execPath, ['-e', script, join(outdir, folder, 'index.mjs')], {
      cwd: outdir,
      encoding: 'utf8',
    });
    expect(printed.trim()).toBe('function');
  }
});

test('the megabyte of the tokenizer is not read when a function starts', () => {
  for (const folder of folders) expect(sizeAtStart(join(outdir, folder), 'index.mjs')).toBeLessThan(700_000);
});

function addFunction(stack: Stack, entry: string): LambdaFunction {
  const code = functionCode(join(import.meta.dirname, `../../functions/api/${entry}.ts`));
  return new LambdaFunction(stack, entry, { code, runtime: Runtime.NODEJS_24_X, handler: 'index.handler' });
}

/** Bytes of a module and of all that it imports statically. */
function sizeAtStart(folder: string, file: string, seen = new Set<string>()): number {
  if (seen.has(file)) return 0;
  seen.add(file);
  const text = readFileSync(join(folder, file), 'utf8');
  const imports = text.matchAll(/(?:from|import)"\.\/([\w-]+\.mjs)"/g);
  return [...imports].reduce((sum, [, imported = '']) => sum + sizeAtStart(folder, imported, seen), text.length);
}
