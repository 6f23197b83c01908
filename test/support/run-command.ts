import { execFile } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Runs a script, given by its path in the repository. Returns its exit status and its output. */
export function runCommand(script: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd = root) {
  return new Promise<{ status: unknown; out: string; err: string }>((resolve) => {
    const options = { cwd, env: { ...process.env, ...env } };
    execFile(process.execPath, [join(root, script), ...args], options, (error, out, err) => {
      resolve({ status: error ? error.code : 0, out, err });
    });
  });
}
