#!/usr/bin/env node
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { models } from '#contract/inference/models.ts';
import { demoEngine } from '#local/demo-engine/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import { log, run, synthesise, type Variables } from './commands.ts';
import { deployedStage, stacksOf } from './deployed-stage.ts';
import { installTools, startLocalAws } from './local-aws.ts';
import { type Rehearsal, rehearseBadVersion, rehearseFailedCreation, rehearseRestore } from './rehearsals.ts';

/**
 * Deploys the real stacks of two stages to one account of a local AWS. One gets the API tests through its gateway, an update
 * and tables restored to a point in time; the other's creation fails and is repeated, and a version of a function that
 * cannot start is taken back. Then both are destroyed. With `--short`, one stage is deployed, updated and destroyed.
 * docs/deploy.md has what the local AWS does not support.
 */

/** For every change. The failure rehearsals run before a release. */
const isShort = process.argv.includes('--short');

type Closer = () => void | Promise<void>;

async function exercise(folder: string, closers: Closer[]): Promise<void> {
  const tool = installTools();
  log('tools are installed');
  const spare = isShort ? undefined : 'complete';
  await synthesise(folder, {
    first: { spare },
    update: { plain: { planTable: 'overview' }, spare: spare && 'broken' },
  });
  const [templates, update] = [join(folder, 'first'), join(folder, 'update')];
  log('synthesised twice');
  // Warnings concern style: CDK states dependencies on a role that already follow from references (W3005).
  const lint = ['--ignore-checks', 'W', '--', ...globSync(join(templates, '*plain*.template.json'))];
  const rehearsal = await startRehearsal(folder, tool('python'), closers);
  const { cdk, deploy, vitest } = rehearsal;
  await Promise.all([
    run(tool('cfn-lint'), lint).then(() => log('cfn-lint finds no error')),
    cdk(['bootstrap', 'aws://000000000000/us-east-1', '--app', templates]).then(() => deploy('plain', templates)),
  ]);
  log('deployed');
  await vitest('plain', ['--exclude', '**/after-*.deploy.ts', '--exclude', '**/two-stages.deploy.ts']);
  log('the deployed gateway passes');

  if (!isShort) {
    await rehearseFailedCreation(rehearsal, templates);
    await vitest('spare', ['two-stages.deploy.ts'], { OTHER_API: rehearsal.stage('plain')['DEPLOYED_API'] ?? '' });
    log('two stages are beside each other');
  }
  await deploy('plain', update);
  await vitest('plain', ['after-update.deploy.ts']);
  log('an update takes over, and what was there is there');
  if (!isShort) await rehearseBadVersion(rehearsal, update);
  const last = isShort ? update : await rehearseRestore(rehearsal);

  const names = rehearsal.stage('plain');
  const all = [...stacksOf('plain'), ...(isShort ? [] : stacksOf('spare'))];
  await cdk(['destroy', ...all, '--app', last, '--force']);
  await vitest('plain', ['after-destroy.deploy.ts'], names);
  log('destroyed; the tables are kept');
}

async function startRehearsal(folder: string, python: string, closers: Closer[]): Promise<Rehearsal> {
  const hosted = models.flatMap(({ endpoints }) => endpoints).filter((one) => one.kind === 'sagemaker');
  const endpoints = new Map(hosted.map(({ endpoint, family }) => [endpoint, family]));
  const sagemaker = await startSageMaker({ engine: demoEngine({ wordDelayMs: 0 }), faults: createFaults(), endpoints });
  closers.push(() => sagemaker.close());
  const failNext = join(folder, 'fail-next');
  const aws = await startLocalAws(python, {
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: sagemaker.url,
    FAIL_NEXT: failNext,
    SCRYPT_LOG2_N: '12',
    POWERTOOLS_LOG_LEVEL: 'WARN',
  });
  closers.push(() => aws.stop());
  const outputsOf = (stage: string) => join(folder, `${stage}.json`);
  const stage = (name: string) => deployedStage(name, outputsOf(name), aws);
  const cdk = (args: readonly string[]) => run('cdk', args, { quiet: true, variables: aws.variables });
  return {
    folder,
    aws,
    failNext,
    stage,
    cdk,
    deploy: (name, app) =>
      cdk([
        'deploy',
        ...stacksOf(name),
        '--app',
        app,
        '--require-approval',
        'never',
        '--outputs-file',
        outputsOf(name),
      ]),
    vitest: (name, files, more: Variables = {}) =>
      run('vitest', ['run', '--config', 'test/deploy/vitest.config.ts', ...files], {
        variables: { ...(more['DEPLOYED_API'] === undefined && stage(name)), ...more },
      }),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
const closers: Closer[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  await exercise(folder, closers);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const close of closers.toReversed()) await close();
}
