import { execFile } from 'node:child_process';

/** Runs a script of `bin`. Returns its exit status and its output. */
export function runCommand(script: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  return new Promise<{ status: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { env: { ...process.env, ...env } }, (error, out, err) => {
      resolve({ status: error ? error.code : 0, out, err });
    });
  });
}
