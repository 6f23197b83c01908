import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Problem } from '../shared/problems.ts';

export interface DatabaseProcess {
  readonly url: string;
  /** Resolves with a Problem if the process exits unexpectedly. */
  readonly died: Promise<Problem>;
  close(): Promise<void>;
}

/**
 * Ensures that the database does not outlive the service. A shell waits on a pipe that only the service holds and kills
 * the database when the pipe breaks, even after kill -9. `$$` is the shell that becomes the database. The umask keeps
 * its files private.
 */
const tethered = `umask 077
exec 3<&0
( read -r goodbye <&3 || kill -KILL $$ ) >/dev/null 2>&1 &
exec "$0" "$@" </dev/null 3<&-`;

/**
 * The database accepts any signature, and its CORS headers allow every origin. It therefore listens on a port that
 * browsers block (Fetch standard, "port blocking") and on a random loopback address, so that no web page can reach it.
 */
const blockedPorts = [6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080] as const;

/** Retries if the port is in use, or if the machine was suspended. */
const attempts = 5;
const startMs = 10_000;
const stopMs = 3000;

/**
 * Starts the database on a file and waits until it listens. Throws a Problem if it is not installed or does not start.
 */
export async function startDatabaseProcess(file: string): Promise<DatabaseProcess> {
  const program = databaseProgram();
  for (let attempt = 1; ; attempt += 1) {
    // Some systems only have 127.0.0.1.
    const host = attempt < attempts ? randomLoopback() : '127.0.0.1';
    const port = blockedPorts[randomInt(blockedPorts.length)] ?? blockedPorts[0];
    const serve = ['serve', '--host', host, '--port', String(port), '--db-path', file];
    // Runs in its own session, so that Ctrl-C in the terminal does not end it before pending requests.
    const child = spawn('/bin/sh', ['-c', tethered, program, ...serve], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    const refusal = await waitUntilListening(child);
    if (refusal === undefined) return running(child, `http://${host}:${port}`);
    child.kill('SIGKILL');
    releaseTether(child);
    if (attempt === attempts || !/in use|locked|busy|did not listen/.test(refusal)) throw cannotOpen(file, refusal);
  }
}

function cannotOpen(file: string, refusal: string): Problem {
  const remedy = /full|I\/O/.test(refusal) ? 'See to the disk' : `Move the folder ${dirname(file)} away`;
  return new Problem(
    `The embedded database could not open ${file}: ${refusal}. ${remedy}, or choose another with --data DIR.`,
  );
}

/** Amazon's own emulation, in memory: an image for x64 and arm64. */
const dynamodbLocal = 'docker run --rm -p 127.0.0.1:8000:8000 amazon/dynamodb-local';

function databaseProgram(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide');
  } catch (error) {
    throw new Problem(
      `There is no embedded database for this platform (${name} is not installed). Start DynamoDB Local with "${dynamodbLocal}", then run "AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 npm start".`,
      1,
      { cause: error },
    );
  }
}

/**
 * Returns undefined once the database listens, otherwise the reason. Reads its output, because another process may
 * listen on the port.
 */
async function waitUntilListening(child: ChildProcess): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-1000);
    if (output.includes('listening on')) resolve(undefined);
  });
  child.once('error', (error) => resolve(error.message));
  child.once('close', () => resolve(firstSentence(output) || 'it ended immediately'));
  const timer = setTimeout(() => resolve(`it did not listen within ${startMs / 1000} s`), startMs);
  return promise.finally(() => clearTimeout(timer));
}

function firstSentence(output: string): string {
  const [sentence = ''] = output
    .trim()
    .replace(/^error: (Internal error: )?/, '')
    .split(/[.\n]( |$)/);
  return sentence;
}

/** Lets the shell on the pipe exit without killing the database. Ignores a shell that has already exited. */
function releaseTether(child: ChildProcess): void {
  child.stdin?.on('error', () => undefined).end('goodbye\n');
}

function running(child: ChildProcess, url: string): DatabaseProcess {
  let isClosing = false;
  const { promise: died, resolve } = Promise.withResolvers<Problem>();
  const exited = exit();

  async function exit(): Promise<void> {
    const [code, signal] = await once(child, 'exit');
    releaseTether(child);
    const how = typeof signal === 'string' ? `signal ${signal}` : `exit code ${String(code)}`;
    if (!isClosing) resolve(new Problem(`The embedded database exited unexpectedly (${how}). The service stops.`));
  }

  async function close(): Promise<void> {
    isClosing = true;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await exited;
    clearTimeout(timer);
  }

  return { url, died, close };
}

/** Random address out of 16 million. All of 127.0.0.0/8 is this machine (RFC 6890). */
function randomLoopback(): string {
  return ['127', randomInt(1, 255), randomInt(256), randomInt(1, 255)].join('.');
}
