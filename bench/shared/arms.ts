import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import type { BenchAccount } from './database.ts';
import { type Child, childOf, onGatewayProcessor, onOtherProcessor, startChild } from './processes.ts';

export type ArmName = 'direct' | 'bare proxy' | 'Portkey' | OurArm;
type OurArm = 'ours' | 'ours, real database' | 'npm start';

/** A path to the model. `pid` is undefined without a gateway. */
export interface Arm {
  readonly name: ArmName;
  readonly port: number;
  readonly pid: number | undefined;
  readonly path: string;
  /** Requests use these sets of headers in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[];
}

const bench = join(import.meta.dirname, '..');
const node = process.execPath;

export const startUpstream = (): Promise<Child> =>
  startChild({ command: (port) => [node, join(bench, 'upstream.ts'), String(port)] });

export const startBareProxy = (upstream: Child): Promise<Child> =>
  startChild({
    command: (port) =>
      onGatewayProcessor([node, join(bench, 'gateways/bare-proxy.ts'), String(port), String(upstream.port)]),
  });

/** Installed on first use, separately from the platform's packages. bench/peer/package.json pins the version. */
export function startPortkey(): Promise<Child> {
  const program = join(bench, 'peer/node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(program)) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', args, { cwd: join(bench, 'peer'), stdio: ['ignore', 'inherit', 'inherit'] });
  }
  return startChild({ command: (port) => onGatewayProcessor([node, program, '--headless', `--port=${port}`]) });
}

/** Starts the bundled handlers with the environment that CDK sets, with every feature enabled. */
export function startOurs(folder: string, upstream: Child, database: string): Promise<Child> {
  return startChild({
    command: (port) => onGatewayProcessor([node, join(bench, 'gateways/ours.ts'), String(port), folder]),
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      AWS_SESSION_TOKEN: 'token'.repeat(150),
      AWS_ENDPOINT_URL_DYNAMODB: database,
      AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: `http://127.0.0.1:${upstream.port}`,
      [tableVariables.meters]: tables.meters.name,
      [tableVariables.idempotency]: tables.idempotency.name,
      POWERTOOLS_SERVICE_NAME: 'text-ai',
      POWERTOOLS_METRICS_NAMESPACE: 'text-ai',
      PUBLIC_ORIGIN: 'https://example.com',
      SESSION_COOKIE: '__Host-session',
      NETWORK_LIMITS: 'on',
      TRUSTED_PROXIES: '1',
    },
  });
}

/** As in the script `start` of package.json. */
const startFlags = [
  '--max-semi-space-size=16',
  '--max-old-space-size=1000',
  `--import=${join(bench, '../bin/compile-cache.js')}`,
];

/**
 * Starts the whole platform as `npm start` does, with the model of the benchmark, and its database on the other CPU.
 */
export async function startLocal(upstream: Child, data: string): Promise<Child & { readonly databaseUrl: string }> {
  const program = join(bench, '../bin/local.ts');
  const child = await startChild({
    command: (port) => onGatewayProcessor([node, ...startFlags, program, '--port', String(port), '--data', data]),
    env: { AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: `http://127.0.0.1:${upstream.port}` },
  });
  const status = `http://127.0.0.1:${child.port}/_local/status`;
  for (; (await fetch(status)).status !== 200; await sleep(50));
  const { pid, args } = childOf(child.pid, 'dynoxide');
  onOtherProcessor(pid);
  const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? '';
  return { ...child, databaseUrl: `http://${after('--host')}:${after('--port')}` };
}

export const directArm = (upstream: Child): Arm => ({
  name: 'direct',
  port: upstream.port,
  pid: undefined,
  path: '/v1/chat/completions',
  headers: [{ Authorization: 'Bearer sk-bench' }],
});

export const bareArm = ({ port, pid }: Child): Arm => ({
  name: 'bare proxy',
  port,
  pid,
  path: '/v1/chat/completions',
  headers: [{ Authorization: 'Bearer sk-bench' }],
});

export const portkeyArm = ({ port, pid }: Child, upstream: Child): Arm => ({
  name: 'Portkey',
  port,
  pid,
  path: '/v1/chat/completions',
  headers: [
    {
      Authorization: 'Bearer sk-bench',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstream.port}/v1`,
    },
  ],
});

/** Alternates between accounts to stay within their limits. */
export const oursArm = ({ port, pid }: Child, accounts: readonly BenchAccount[], name: OurArm = 'ours'): Arm => ({
  name,
  port,
  pid,
  path: '/v1/chat/completions',
  headers: accounts.map(({ key }) => ({ Authorization: `Bearer ${key}` })),
});
