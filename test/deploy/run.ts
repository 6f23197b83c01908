#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { models } from '#contract/inference/models.ts';
import { demoEngine } from '#local/demo-engine/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import { installTools, type LocalAws, startLocalAws } from './local-aws.ts';

/**
 * Deploys the real stacks to a local AWS, sends the API tests through the deployed gateway, deploys an update, tests
 * that, and destroys. Not supported by the local AWS: edge, firewall, streams, metric filters, alarms with metric math.
 */
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
const outputs = join(folder, 'outputs.json');
const stacks = ['text-ai-plain-data', 'text-ai-plain-api'];
const started = Date.now();

interface RunOptions {
  readonly quiet?: boolean;
  readonly variables?: Readonly<Record<string, string>>;
}

const log = (text: string): void => console.log(`[${Math.round((Date.now() - started) / 1000)} s] ${text}`);

/**
 * Runs a command; with `quiet`, its output is shown only if it fails. Does not block: the models' stand-in runs in this process.
 */
async function run(
  command: string,
  args: readonly string[],
  { quiet = false, variables = {} }: RunOptions = {},
): Promise<void> {
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
}

/** Synthesises the stacks into a folder of their own. */
async function synthesise(name: string, context: readonly string[] = []): Promise<string> {
  const out = join(folder, name);
  const options = context.flatMap((value) => ['--context', value]);
  const app = ['--app', 'node test/deploy/app.ts', '--output', out];
  await run('cdk', ['synth', '--quiet', ...app, ...options], { quiet: true, variables: { CDK_VALIDATION: 'false' } });
  return out;
}

/** Environment variables with the names of the deployed resources. */
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

async function exercise(closers: (() => void | Promise<void>)[]): Promise<void> {
  const tool = installTools();
  log('tools are installed');
  const templates = await synthesise('first');
  const update = await synthesise('update', ['planTable=overview']);
  log('synthesised twice');
  // Warnings are of style: CDK names what depends on a role although that follows (W3005).
  await run(tool('cfn-lint'), ['--ignore-checks', 'W', '--', ...globSync(join(templates, '*.template.json'))]);
  log('cfn-lint finds no error');

  const endpoints = new Map(models.map(({ endpoint, family }) => [endpoint, family]));
  const sagemaker = await startSageMaker({ engine: demoEngine({ wordDelayMs: 0 }), faults: createFaults(), endpoints });
  closers.push(() => sagemaker.close());
  const aws = await startLocalAws(tool('python'), {
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: sagemaker.url,
    SCRYPT_LOG2_N: '12',
    POWERTOOLS_LOG_LEVEL: 'WARN',
  });
  closers.push(() => aws.stop());

  const cdk = (args: readonly string[]) => run('cdk', args, { quiet: true, variables: aws.variables });
  const options = ['--require-approval', 'never', '--outputs-file', outputs];
  const deploy = (app: string) => cdk(['deploy', ...stacks, '--app', app, ...options]);
  const vitest = (files: readonly string[], variables = deployed(aws)) =>
    run('vitest', ['run', '--config', 'test/deploy/vitest.config.ts', ...files], { variables });

  await cdk(['bootstrap', 'aws://000000000000/us-east-1', '--app', templates]);
  await deploy(templates);
  log('deployed');
  await vitest(['--exclude', '**/after-*.deploy.ts']);
  log('the deployed gateway passes');
  await deploy(update);
  await vitest(['after-update.deploy.ts']);
  log('an update takes over, and what was there is there');
  const names = deployed(aws);
  await cdk(['destroy', ...stacks, '--app', update, '--force']);
  await vitest(['after-destroy.deploy.ts'], names);
  log('destroyed; the tables are kept');
}

const closers: (() => void | Promise<void>)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  await exercise(closers);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const close of closers.toReversed()) await close();
}
