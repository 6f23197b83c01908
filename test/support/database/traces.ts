import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { type TableId, tables } from '#contract/platform/resources.ts';
import { rowsOf } from './rows.ts';

/** A stored item with something of a person: its kind, such as `accounts user/session`, and the words that it contains. */
export interface Trace {
  readonly kind: string;
  readonly words: readonly string[];
  readonly text: string;
}

/** Finds the words in all tables, buckets and queues of the local service. Compressed values are expanded. */
export async function tracesOf(words: readonly string[], folder: string): Promise<Trace[]> {
  const places = [...(await tableTexts()), ...(await bucketTexts(folder)), ...queueTexts(folder)];
  return places
    .map(({ kind, text }) => ({ kind, text, words: words.filter((word) => text.includes(word)) }))
    .filter((trace) => trace.words.length > 0);
}

interface Text {
  readonly kind: string;
  readonly text: string;
}

async function tableTexts(): Promise<Text[]> {
  const ids = Object.keys(tables) as TableId[];
  const rows = await Promise.all(ids.map(async (id) => (await rowsOf(id)).map((row) => ({ id, row }))));
  return rows.flat().map(({ id, row }) => ({ kind: kindOf(id, row), text: JSON.stringify(row, readable) }));
}

/** The words of the key before `#`. Numbers, times and ids are no words. */
function kindOf(table: TableId, { pk, sk }: Record<string, unknown>): string {
  const names = [pk, sk].map((part) => /^([a-z-]+)(?:#|$)/.exec(typeof part === 'string' ? part : '')?.[1]);
  return [table, names.filter(Boolean).join('/')].join(' ').trim();
}

function readable(_: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  return value instanceof Uint8Array ? expanded(Buffer.from(value)) : value;
}

const expanded = (bytes: Buffer): string =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();

async function bucketTexts(folder: string): Promise<Text[]> {
  const texts = ['audio', 'archive', 'contents'].map(async (bucket) => {
    const names = await readdir(join(folder, bucket)).catch((): string[] => []);
    return Promise.all(
      names.map(async (name) => ({
        kind: `bucket ${bucket}`,
        text: expanded(await readFile(join(folder, bucket, name))),
      })),
    );
  });
  return (await Promise.all(texts)).flat();
}

function queueTexts(folder: string): Text[] {
  const database = new DatabaseSync(join(folder, 'queues.sqlite'), { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = names.flatMap(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all());
  database.close();
  return rows.map((row) => ({ kind: 'queue', text: JSON.stringify(row) }));
}

/** The kinds and reasons in the table below a heading of docs/security.md. */
export async function documentedKinds(heading: string): Promise<ReadonlyMap<string, string>> {
  const page = await readFile('docs/security.md', 'utf8');
  const section = page.split(`### ${heading}\n`)[1]?.split(/\n##/)[0] ?? '';
  const rows = section.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm);
  return new Map(
    [...rows].flatMap(([, kinds = '', reason = '']) =>
      [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind = '']) => [kind, reason] as const),
    ),
  );
}
