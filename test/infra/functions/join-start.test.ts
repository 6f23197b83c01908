import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { routeEntry } from '#contract/handlers.ts';
import { bundle } from '#lib/constructs/function-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'join-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a process of its own prints. */
const printed = (script: string, file: string): string =>
  execFileSync(process.execPath, ['-e', script, file], { encoding: 'utf8' }).trim();

test('a module that the start and a later import share is one, with its state and in its order', () => {
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
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
  const out = join(folder, 'shared');
  bundle(`export { handler } from '${join(folder, 'entry.ts')}';\n`, out);
  const script = 'import(process.argv[1]).then(({ handler }) => handler()).then((all) => console.log(all.join()))';
  expect(printed(script, join(out, 'index.mjs')).split('\n')).toEqual(['count', 'names', '3,3,of names,of names,3']);
});

test.each(['create-chat-completion', 'list-keys'])(
  'a start of %s reads one file, and each of the others finds what it imports',
  (entry) => {
    const out = join(folder, entry);
    bundle(routeEntry(entry), out);
    const later = readdirSync(out).filter((file) => file !== 'index.mjs');
    expect(later.length).toBeGreaterThan(10);
    expect(readFileSync(join(out, 'index.mjs'), 'utf8')).not.toMatch(/(?:from|import)"\.\//);
    const script =
      'Promise.all(process.argv.slice(2).map((file) => import(process.argv[1] + file))).then(() => console.log("all"))';
    const args = ['-e', script, `${out}/`, ...later];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('all');
  },
);
