import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { log, run, runToFail, synthesise, type Variables } from './commands.ts';
import { stacksOf } from './deployed-stage.ts';
import type { LocalAws } from './local-aws.ts';

/** A local AWS, and the commands that use it. */
export interface Rehearsal {
  readonly folder: string;
  readonly aws: LocalAws;
  /** File with the start of a logical id. The creation of the next matching resource fails. */
  readonly failNext: string;
  /** The environment of a deployed stage. */
  readonly stage: (name: string) => Variables;
  readonly cdk: (args: readonly string[]) => Promise<string>;
  readonly deploy: (stage: string, app: string) => Promise<string>;
  readonly vitest: (stage: string, files: readonly string[], more?: Variables) => Promise<string>;
}

/** Lets the creation of a stage fail, late in its data stack and late in its API stack, and repeats it unchanged. */
export async function rehearseFailedCreation({ aws, failNext, cdk, deploy, vitest }: Rehearsal, templates: string) {
  const [data = '', api = ''] = stacksOf('spare');
  const options = ['--exclusively', '--app', templates, '--require-approval', 'never'];
  const fail = async (stack: string, logicalId: string): Promise<void> => {
    writeFileSync(failNext, logicalId);
    const reason = await runToFail('cdk', ['deploy', stack, ...options], { quiet: true, variables: aws.variables });
    if (!reason.includes('was made to fail on purpose')) throw new Error(`${stack} failed otherwise: ${reason}`);
    await vitest('plain', ['after-failure.deploy.ts'], { FAILED_STACK: stack });
  };
  await fail(data, 'requests');
  await cdk(['deploy', data, ...options]);
  await fail(api, 'sweepmeters');
  log('creations that fail are rolled back');
  await deploy('spare', templates);
  log('repeated as they are, they succeed');
}

/** Gives a share of one function's calls to a version that cannot start, then moves the alias back. */
export async function rehearseBadVersion({ deploy, vitest }: Rehearsal, broken: string): Promise<void> {
  await deploy('spare', broken);
  await vitest('spare', ['after-bad-version.deploy.ts']);
  log('a version that cannot start is taken back by its alias');
}

/**
 * Deletes rows, restores meters and ledger to the second before, and deploys the stage with the restored tables.
 * Returns its templates.
 */
export async function rehearseRestore({ folder, deploy, stage, vitest }: Rehearsal): Promise<string> {
  const state = join(folder, 'restore.json');
  await vitest('plain', ['after-loss.deploy.ts'], { RESTORE_STATE: state });
  const { at } = JSON.parse(readFileSync(state, 'utf8')) as { at: string };
  const variables = stage('plain');
  const existingTables = {};
  for (const id of ['meters', 'ledger']) {
    const source = variables[`${id.toUpperCase()}_TABLE`] ?? '';
    const output = await run('npm', ['run', '--silent', 'restore', '--', id, source, `${id}-restored`, '--at', at], {
      quiet: true,
      variables,
    });
    const setting = output.slice(
      output.indexOf('existingTables: ') + 'existingTables: '.length,
      output.lastIndexOf(','),
    );
    Object.assign(existingTables, JSON.parse(setting));
  }
  log('two tables are restored');
  await synthesise(folder, { restored: { plain: { planTable: 'overview', existingTables }, spare: 'complete' } });
  const restored = join(folder, 'restored');
  await deploy('plain', restored);
  await vitest('plain', ['after-restore.deploy.ts'], { RESTORE_STATE: state });
  log('the stage goes on with them');
  return restored;
}
