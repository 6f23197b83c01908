#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { models } from '#contract/models.ts';
import { createFaults } from '#local/faults.ts';
import { demoEngine } from '#local/sagemaker/demo-engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { installTools, type LocalAws, startLocalAws } from './local-aws.ts';

/**
 * Deploys the real stacks to a local AWS, sends the API tests through the deployed gateway, deploys an update, tests
 * that, and destroys. What the local AWS does not have stays out: edge, firewall, streams, alarms with metric math.
 */
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
const outputs = join(folder, 'outputs.json');
const stacks = ['text-ai-plain-data', 'text-ai-plain-api'];
const started = Date.now();

const say = (text: string): void => console.log(`[${Math.round((Date.now() - started) / 1000)} s] ${text}`);

function run(command: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, [...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ''} failed`);
}

/** As `run`, but what it says is shown only if it fails. */
function runQuietly(command: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): void {
  const { status, stdout, stderr } = spawnSync(command, [...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  });
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ''} failed:\n${stdout}\n${stderr}`);
}

/** Synthesises the stacks into a folder of their own. */
function synthesise(name: string, context: readonly string[] = []): string {
  const out = join(folder, name);
  const options = context.flatMap((value) => ['--context', value]);
  runQuietly('cdk', ['synth', '--quiet', '--app', 'node test/deploy/app.ts', '--output', out, ...options], {
    CDK_VALIDATION: 'false',
  });
  return out;
}

/** The names that a deployment gave to what tests must reach. */
function deployed({ url, variables }: LocalAws): Record<string, string> {
  const { 'text-ai-plain-api': api, 'text-ai-plain-data': data } = JSON.parse(readFileSync(outputs, 'utf8'));
  const apiId = /^https?:\/\/([^.]+)\./.exec(api.ApiUrl)?.[1];
  const tables = Object.entries(data as Record<string, string>)
    .filter(([name]) => name.endsWith('TableName'))
    .map(([name, value]) => [`${name.replace(/TableName$/, '').toUpperCase()}_TABLE`, value]);
  return {
    ...variables,
    ...Object.fromEntries(tables),
    DEPLOYED_API: `${url}/restapis/${apiId}/live/_user_request_`,
    DEPLOYED_AWS: url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
}

async function exercise(): Promise<void> {
  const tool = installTools();
  say('tools are installed');
  const templates = synthesise('first');
  const update = synthesise('update', ['planTable=overview']);
  say('synthesised twice');
  // W3005: CDK says what depends on a role although that follows; W2001, W7001 and the like concern nothing that is wrong.
  run(tool('cfn-lint'), ['--ignore-checks', 'W', '--', ...globSync(join(templates, '*.template.json'))]);
  say('cfn-lint finds no error');

  const endpoints = new Map(models.map(({ endpoint, family }) => [endpoint, family]));
  const sagemaker = await startSageMaker({ engine: demoEngine({ wordDelayMs: 0 }), faults: createFaults(), endpoints });
  const aws = await startLocalAws(tool('ministack'), {
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: sagemaker.url,
    SCRYPT_LOG2_N: '12',
    POWERTOOLS_LOG_LEVEL: 'WARN',
  });
  try {
    const cdk = (args: readonly string[]) => runQuietly('cdk', args, aws.variables);
    const deploy = (app: string) =>
      cdk([
        'deploy',
        ...stacks,
        '--app',
        app,
        '--require-approval',
        'never',
        '--outputs-file',
        outputs,
        '--progress',
        'bar',
      ]);
    cdk(['bootstrap', 'aws://000000000000/us-east-1', '--app', templates]);
    deploy(templates);
    say('deployed');
    const config = ['run', '--config', 'test/deploy/vitest.config.ts'];
    run('vitest', [...config, '--exclude', '**/after-*.deploy.ts'], deployed(aws));
    say('the deployed gateway passes');
    deploy(update);
    run('vitest', [...config, 'after-update.deploy.ts'], deployed(aws));
    say('an update takes over, and what was there is there');
    const names = deployed(aws);
    cdk(['destroy', ...stacks, '--app', update, '--force']);
    run('vitest', [...config, 'after-destroy.deploy.ts'], names);
    say('destroyed; the tables are kept');
  } finally {
    aws.stop();
    await sagemaker.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await exercise().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
