import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fetchArtefacts } from './artefacts.ts';

const startMs = 60_000;

/** Vitest's global set-up: one DynamoDB Local for all test files, passed on as DYNAMODB_LOCAL. */
export default async function startDynamoDBLocal(): Promise<() => Promise<void>> {
  const folder = await fetchArtefacts();
  const options = [`-Djava.library.path=${folder}`, '-Xmx1g', '-cp', join(folder, '*')];
  const child = spawn('java', [...options, join(import.meta.dirname, 'DynamoDBLocal.java')]);
  const ended = once(child, 'close');
  const { promise: port, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-5000);
      const listening = /listening on (\d+)\n/.exec(output)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  }
  ended.then(
    () => reject(new Error(`DynamoDB Local ended: ${output}`)),
    (cause: unknown) => reject(new Error('test:dynamodb-local needs a JDK, version 17 or newer.', { cause })),
  );
  const timer = setTimeout(() => reject(new Error(`DynamoDB Local did not start: ${output}`)), startMs);
  try {
    process.env['DYNAMODB_LOCAL'] = `http://127.0.0.1:${await port}`;
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return async () => {
    child.stdin.end();
    await ended;
  };
}
