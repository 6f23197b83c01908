import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const repository = 'https://repo1.maven.org/maven2/';
const list = join(import.meta.dirname, 'artefacts.sha256');
const cache = join(import.meta.dirname, '../../node_modules/.cache/dynamodb-local');
const concurrency = 8;

/** A file of Maven Central: its path there, and its SHA-256 in hexadecimal. */
interface Artefact {
  readonly path: string;
  readonly sha256: string;
}

/**
 * Downloads missing files of DynamoDB Local (50 MB) and returns its folder. Rejects with an error that names a file
 * that cannot be downloaded or does not match artefacts.sha256.
 */
export async function fetchArtefacts(): Promise<string> {
  const lines = (await readFile(list, 'utf8')).trim().split('\n');
  const artefacts = lines.map((line): Artefact => ({ sha256: line.slice(0, 64), path: line.slice(66) }));
  // One folder per list, so that no jar of another version is in the class path.
  const folder = join(cache, sha256(lines.join('\n')).slice(0, 16));
  await mkdir(folder, { recursive: true });
  const missing = artefacts.values().filter(({ path }) => !existsSync(join(folder, basename(path))));
  const workers = Array.from({ length: concurrency }, async () => {
    for (const artefact of missing) await download(artefact, folder);
  });
  await Promise.all(workers);
  return folder;
}

async function download({ path, sha256: expected }: Artefact, folder: string): Promise<void> {
  const response = await fetch(repository + path, { signal: AbortSignal.timeout(120_000) });
  if (!response.ok) throw new Error(`${repository}${path} could not be downloaded: status ${response.status}.`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (sha256(bytes) !== expected) throw new Error(`${repository}${path} is not the file that artefacts.sha256 names.`);
  const file = join(folder, basename(path));
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
