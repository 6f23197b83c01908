import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { afterAll, expect, test } from 'vitest';
import { routeEntry } from '#contract/handlers.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { bundleSizes, bundle, functionCode } from '#lib/constructs/function-code.ts';

const entries = ['create-chat-completion', 'unknown-route'];
const outdir = mkdtempSync(join(tmpdir(), 'function-code-'));

const app = new App({ outdir });
const stack = new Stack(app, 'stack');
for (const id of entries) addFunction(stack, id, routeEntry(id));
app.synth();
const folders = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
const sizes = await bundleSizes();

afterAll(() => rmSync(outdir, { recursive: true }));

test('every entry point is bundled separately', () => {
  expect(folders).toHaveLength(entries.length);
});

/** The output of a script in a separate process. */
const printed = (script: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, ['-e', script, ...args], { cwd: outdir, encoding: 'utf8' }).trim();

/** The value of an expression after each function's code is loaded. */
function printedByEach(expression: string): string[] {
  const script = `import(process.argv[1]).then(({ handler }) => console.log(${expression}))`;
  return folders.map((folder) => printed(script, join(outdir, folder, 'index.mjs')));
}

test('every bundle loads without other files', () => {
  expect(printedByEach('typeof handler')).toEqual(entries.map(() => 'function'));
});

test('no start loads Node’s fetch, HTTP, TLS, HTTP/2 or WebCrypto', () => {
  const loaded = printedByEach('process.moduleLoadList.join()');
  for (const modules of loaded) {
    expect(modules).toContain('NativeModule internal/modules/esm/loader');
    expect(modules).not.toMatch(/undici|NativeModule (http|tls|https|http2|internal\/crypto\/webcrypto),/);
  }
});

test('no function exceeds its cold-start budget; node bin/bundle-sizes.ts lists them', () => {
  const ids = new Set([...allRoutes, ...allJobs].map(({ id }) => id)).add(unknownRouteId);
  expect(new Set(sizes.map(({ id }) => id))).toEqual(ids);
  expect(sizes.filter(({ bytes, budget }) => bytes > budget)).toEqual([]);
  for (const { bytes } of sizes) expect(bytes).toBeGreaterThan(50_000);
});

test("the tokenizer's vocabulary is a separate file that no start reads", () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(outdir, folder)).map((name) => join(outdir, folder, name)),
  );
  const largest = Math.max(...files.map((file) => statSync(file).size));
  expect(largest).toBeGreaterThan(700_000);
  expect(largest).toBeGreaterThan(Math.max(...sizes.map(({ bytes }) => bytes)));
});

test('the code of an entry point changes only if one of its imports changes', () => {
  const folder = join(outdir, 'sources');
  mkdirSync(folder);
  const entry = `import { word } from '${join(folder, 'word.ts')}';\nexport const handler = () => word;\n`;
  const codeWith = (word: string): unknown => {
    writeFileSync(join(folder, 'word.ts'), `export const word = '${word}';\n`);
    const stack = new Stack(new App({ outdir: mkdtempSync(join(outdir, 'app-')) }), 'stack');
    addFunction(stack, 'fn', entry);
    const [fn] = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
    return fn?.['Properties'].Code.S3Key;
  };
  const [one, other, again] = [codeWith('one'), codeWith('other'), codeWith('one')];
  expect(one).toEqual(expect.any(String));
  expect(other).not.toBe(one);
  expect(again).toBe(one);
});

test('a module that the start shares with a later import is loaded once, in order and with its state', () => {
  const sources = {
    'count.ts': "export let count = 0;\nexport const add = () => { count += 1; };\nconsole.log('count');\n",
    'names.ts': "export const name = 'of names';\nconsole.log('names');\n",
    'first.ts': "import { add } from './count.ts';\nadd();\nexport const first = () => import('./later.ts');\n",
    'later.ts':
      "import './names.ts';\nimport { add, count } from './count.ts';\nadd();\nexport const seen = () => count;\n",
    'second.ts':
      "import { name } from './names.ts';\nimport { count } from './count.ts';\nexport const seen = [name, count];\n",
    'entry.ts':
      "import { add, count } from './count.ts';\nimport { first } from './first.ts';\nimport { name } from './names.ts';\n" +
      'export const handler = async () => {\n  const { seen } = await first();\n  add();\n' +
      "  return [count, seen(), name, ...(await import('./second.ts')).seen];\n};\n",
  };
  const shared = join(outdir, 'shared');
  mkdirSync(shared);
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(shared, name), text);
  const out = join(shared, 'out');
  bundle(`export { handler } from '${join(shared, 'entry.ts')}';\n`, out);
  const script = 'import(process.argv[1]).then(({ handler }) => handler()).then((all) => console.log(all.join()))';
  expect(printed(script, join(out, 'index.mjs')).split('\n')).toEqual(['count', 'names', '3,3,of names,of names,3']);
});

test.each(['create-chat-completion', 'list-keys', 'verify-passkey'])(
  'a start of %s reads one file, and its later imports are found',
  (entry) => {
    const out = join(outdir, entry);
    bundle(routeEntry(entry), out);
    const later = readdirSync(out).filter((file) => file !== 'index.mjs');
    expect(later.length).toBeGreaterThan(10);
    expect(readFileSync(join(out, 'index.mjs'), 'utf8')).not.toMatch(/(?:from|import)"\.\//);
    const script =
      'Promise.all(process.argv.slice(2).map((file) => import(process.argv[1] + file))).then(() => console.log("all"))';
    expect(printed(script, `${out}/`, ...later)).toBe('all');
  },
);

test('only the function that verifies passkeys contains the library for them', () => {
  const hasLibrary = (id: string): boolean => {
    const out = join(outdir, `library-${id}`);
    bundle(routeEntry(id), out);
    return readdirSync(out).some((file) =>
      readFileSync(join(out, file), 'utf8').includes('registration response origin'),
    );
  };
  expect(['verify-passkey', 'create-passkey-options', 'login'].map(hasLibrary)).toEqual([true, false, false]);
});

function addFunction(stack: Stack, id: string, entry: string): LambdaFunction {
  return new LambdaFunction(stack, id, {
    code: functionCode(entry, { withStripe: false, withBedrock: false }),
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
  });
}
