import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Variant } from './app.ts';

const root = join(import.meta.dirname, '../..');
const started = Date.now();

export type Variables = Readonly<Record<string, string>>;

export interface RunOptions {
  /** Shows the output only on failure. */
  readonly quiet?: boolean;
  readonly variables?: Variables;
}

export const log = (text: string): void => console.log(`[${Math.round((Date.now() - started) / 1000)} s] ${text}`);

/**
 * Runs a command, and returns its output if `quiet`. Does not block, because the stand-in for models runs in this
 * process.
 */
export async function run(
  command: string,
  args: readonly string[],
  { quiet = false, variables = {} }: RunOptions = {},
): Promise<string> {
  const stdio = quiet ? 'pipe' : 'inherit';
  const child = spawn(command, [...args], {
    cwd: root,
    stdio: ['ignore', stdio, stdio],
    env: { ...process.env, ...variables },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} failed${output && `:\n${output.slice(-8000)}`}`);
  return output;
}

/** Resolves with the reason if the command fails. Rejects if it succeeds. */
export async function runToFail(...[command, args, options]: Parameters<typeof run>): Promise<string> {
  const reason = await run(command, args, options).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (reason === undefined) throw new Error(`${command} ${args[0] ?? ''} succeeded, and was to fail`);
  return reason;
}

/** Synthesises variants of the stacks into folders of their names. */
export async function synthesise(folder: string, variants: Readonly<Record<string, Variant>>): Promise<void> {
  const args = ['test/deploy/app.ts', folder, JSON.stringify(variants)];
  await run('node', args, { quiet: true, variables: { CDK_VALIDATION: 'false' } });
}
