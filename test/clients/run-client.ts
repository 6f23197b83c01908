import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { type Client, type ClientResults, works } from '../../bin/openapi/clients.ts';

const execute = promisify(execFile);

const here = import.meta.dirname;
const root = join(here, '../..');
/** Outside of `test`, whose files other tests read. */
const cache = join(root, 'node_modules/.cache/clients');

const Line = v.variant('works', [
  v.object({ case: v.string(), works: v.literal(true) }),
  v.object({ case: v.string(), works: v.literal(false), reason: v.string() }),
]);

/** Milliseconds for a client with all its cases. */
export const clientMs = 240_000;

export interface Access {
  readonly origin: string;
  readonly key: string;
}

/** How to run a client: the program, its arguments, and the file that pins its version. */
interface Program {
  readonly command: string;
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly version: string;
}

/** Runs every case of a client in a process of its own, which gets the base URL and the key alone. */
async function run(
  { command, script, environment, version }: Program,
  { origin, key }: Access,
): Promise<ClientResults> {
  const { stdout } = await execute(command, [script], {
    env: { PATH: process.env['PATH'], HOME: cache, API: origin, API_KEY: key, ...environment },
    timeout: clientMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"case"'));
  const results = lines.map((line) => v.parse(Line, JSON.parse(line)));
  if (results.length === 0) throw new Error(`${script} printed no result`);
  const cases = results.map((result) => [result.case, result.works ? works : result.reason]);
  return { version, cases: Object.fromEntries(cases) };
}

const Manifest = v.object({ version: v.string() });

export async function versionIn(folder: string, name: string): Promise<string> {
  const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return v.parse(Manifest, JSON.parse(manifest)).version;
}

export async function runInstalled(client: Client, access: Access): Promise<ClientResults> {
  const version = await versionIn(root, client.package);
  return run({ command: process.execPath, script: join(here, 'js', `${client.id}.mjs`), version }, access);
}

/** Runs `work` again only if the files have changed since. */
async function once(name: string, files: readonly string[], work: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cache, name);
  const texts = await Promise.all(files.map((file) => readFile(join(here, file))));
  const hash = texts.reduce((sum, text) => sum.update(text), createHash('sha256')).digest('hex');
  const mark = join(folder, 'installed');
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === hash) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await work(folder);
  await writeFile(mark, hash);
  return folder;
}

/** Installs a folder's package.json from its lock file, into the cache. */
export const installPackages = (name: string): Promise<string> => {
  const files = ['package.json', 'package-lock.json', '.npmrc'].map((file) => join(name, file));
  return once(name, files, async (folder) => {
    for (const file of files) await cp(join(here, file), join(cache, file));
    await execute('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, timeout: 300_000 });
  });
};

export async function runFurther(client: Client, folder: string, access: Access): Promise<ClientResults> {
  await cp(join(here, 'js'), join(folder, 'js'), { recursive: true });
  const version = await versionIn(folder, client.package);
  return run({ command: process.execPath, script: join(folder, 'js', `${client.id}.mjs`), version }, access);
}

/** Where tiktoken looks for the vocabulary cl100k_base before it downloads it: the SHA-1 of its address. */
const vocabularyFile = '9b5ad71b2ce5302211f9c61530b329a4922fc6a4';

async function writeVocabulary(folder: string): Promise<void> {
  const { default: ranks } = await import('gpt-tokenizer/bpeRanks/cl100k_base');
  const lines = ranks.map((token, rank) => {
    const bytes = typeof token === 'string' ? Buffer.from(token) : Buffer.from(token ?? []);
    return `${bytes.toString('base64')} ${rank}\n`;
  });
  await mkdir(join(folder, 'vocabularies'), { recursive: true });
  await writeFile(join(folder, 'vocabularies', vocabularyFile), lines.join(''));
}

/** Installs requirements.txt into a virtual environment in the cache. Throws without Python or the packages. */
export const installPython = (): Promise<string> =>
  once('python', ['requirements.txt'], async (folder) => {
    await execute('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', join(here, 'requirements.txt')];
    await execute(join(folder, 'bin/python'), install, { timeout: 900_000 });
    await writeVocabulary(folder);
  });

export async function runPython(client: Client, folder: string, access: Access): Promise<ClientResults> {
  const requirements = await readFile(join(here, 'requirements.txt'), 'utf8');
  const version = new RegExp(`^${client.package}==(.+)$`, 'm').exec(requirements)?.[1];
  if (version === undefined) throw new Error(`requirements.txt does not pin ${client.package}`);
  const script = join(here, 'python', `${client.id}.py`);
  const environment = { PYTHONDONTWRITEBYTECODE: '1', TIKTOKEN_CACHE_DIR: join(folder, 'vocabularies') };
  return run({ command: join(folder, 'bin/python'), script, environment, version }, access);
}

export const asFile = (results: ClientResults): string => `${JSON.stringify(results, undefined, 2)}\n`;
