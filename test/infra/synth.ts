import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '#lib/stage.ts';
import type { OwnTemplate, Resource, Resources, Whole } from './whole.ts';

export type { Resource, Whole } from './whole.ts';

export interface Synthesis {
  readonly buffered?: boolean;
  /** Default: `live`. */
  readonly stage?: Stage;
  /** Folder with a build of the dashboard. By default none is published. */
  readonly dashboard?: string;
}

export interface Synthesised {
  readonly data: Whole;
  readonly api: Whole;
  readonly monitoring: Whole;
  readonly models: Whole;
  /** Every stack's own template by path, including nested stacks. */
  readonly own: Readonly<Record<string, OwnTemplate>>;
}

const root = join(import.meta.dirname, '../..');
const kept = join(root, 'node_modules/.cache/templates');

/**
 * The templates as from `cdk synth`, without building any code. They depend on the sources alone, so they are
 * cached by source hash: loading CDK in each test file would take longer than the tests.
 */
export async function synthesise(synthesis: Synthesis = {}): Promise<Synthesised> {
  const file = join(kept, `${sources()}-${digest(JSON.stringify(synthesis, asRecord))}.json`);
  const found = read(file);
  if (found) return found;
  const { synthesiseNow } = await import('./stacks.ts');
  const made = synthesiseNow(synthesis);
  mkdirSync(kept, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(made));
  renameSync(`${file}.${process.pid}`, file);
  return made;
}

const asRecord = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);

const digest = (...parts: readonly string[]): string =>
  parts
    .reduce((hash, part) => hash.update(part).update('\0'), createHash('sha256'))
    .digest('hex')
    .slice(0, 20);

/** A hash of all inputs of the templates. */
function sources(): string {
  const found = globSync(
    ['lib/**/*.ts', 'functions/contract/**/*.ts', 'test/infra/{stacks,whole}.ts', 'cdk.json', 'package-lock.json'],
    { cwd: root },
  );
  return digest(...found.toSorted().flatMap((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

function read(file: string): Synthesised | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

export const resourcesOf = ({ resources }: Whole): Resources => resources;

export const ofType = ({ resources }: Whole, type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);

/** Stacks nested in the API's. Their resources are named by the path below them. */
const groups = new Set([
  'accounts',
  'keys',
  'subscriptions',
  'payments',
  'credits',
  'analysis',
  'inference',
  'openai',
  'anthropic',
  'agents',
  'audio',
  'messages',
  'webhooks',
  'alerts',
  'operators',
  'jobs',
  'request-jobs',
  'edge',
  'pages',
]);

/** The path of a resource in the construct tree, below its stack: `create-key/Function`. */
export function pathOf(resource: Resource): string {
  const path = String(resource.Metadata['aws:cdk:path']).split('/').slice(1);
  const own = groups.has(path[0] ?? '') && path.length > 2 ? path.slice(1) : path;
  return (own.at(-1) === 'Resource' ? own.slice(0, -1) : own).join('/');
}

/** The id of a function's route or job. */
export const functionId = (resource: Resource) => pathOf(resource).split('/')[0] ?? '';

/** Our own functions by id. CDK's internal functions have other names. */
export function functionsOf(api: Whole): ReadonlyMap<string, Resource> {
  const own = ofType(api, 'AWS::Lambda::Function').filter(([, fn]) =>
    /^[a-z-]+\/(?:Shared)?Function$/.test(pathOf(fn)),
  );
  return new Map(own.map(([, fn]) => [functionId(fn), fn]));
}
