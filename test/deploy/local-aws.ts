import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#test/service/free-port.ts';

const root = join(import.meta.dirname, '../..');
const environment = join(root, 'node_modules/.cache/local-aws');
const packages = ['ministack==1.4.21', 'cfn-lint==1.58.0'];

/** Installs the local AWS and the template linter into a virtual environment, once. Nothing else needs Python. */
export function installTools(): (name: string) => string {
  const marker = join(environment, ...packages.map((name) => `.${name}`).slice(-1));
  const tool = (name: string) => join(environment, 'bin', name);
  if (existsSync(marker)) return tool;
  try {
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' });
    execFileSync(tool('pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error(
      `test:deploy needs Python 3.10 or newer with venv, and a package index that has ${packages.join(' and ')}.`,
      { cause },
    );
  }
  mkdirSync(marker);
  return tool;
}

export interface LocalAws {
  readonly url: string;
  /** Environment variables with which the SDK, the CDK and functions reach it. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): void;
}

/** Starts the local AWS on loopback. The functions that it runs receive `variables`. */
export async function startLocalAws(python: string, variables: Readonly<Record<string, string>>): Promise<LocalAws> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const aws = {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const settings = {
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    // Not a number, so that no broker is started, which would listen on every interface.
    IOT_MTLS_PORT: 'off',
    LOG_LEVEL: 'WARNING',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(python, [join(import.meta.dirname, 'local_aws')], {
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
      ...aws,
      ...variables,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-20_000)));
  }
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`the local AWS ended: ${output}`);
    if (await isReachable(`${url}/_ministack/health`)) return { url, variables: aws, stop: () => void child.kill() };
    await sleep(200);
  }
  child.kill();
  throw new Error(`the local AWS did not respond within a minute: ${output}`);
}

const isReachable = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );
