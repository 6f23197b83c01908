import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs a package into its own folder. Returns the path of its Python, or the reason why it cannot be installed. */
export async function installPackage(
  folder: string,
  requirement: string,
): Promise<{ readonly python: string } | { readonly reason: string }> {
  const python = join(folder, 'bin/python');
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch {
    return { reason: 'python3 with venv is not installed' };
  }
  try {
    const options = ['--disable-pip-version-check', '--only-binary', ':all:', '--no-deps'];
    await run(python, ['-m', 'pip', 'install', '--quiet', ...options, requirement], { timeout: 120_000 });
  } catch {
    return { reason: `no registry has ${requirement} for this Python` };
  }
  return { python };
}
