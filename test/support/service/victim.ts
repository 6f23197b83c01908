import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDynamoProxy } from '#local/dynamodb/dynamodb-proxy.ts';
import { createFaults } from '#local/shared/faults.ts';
import { listen } from '#local/shared/loopback.ts';
import { services } from '#runtime/services/container.ts';

export interface VictimRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export interface Death {
  /** Its AWS calls in order: `UpdateItem 1 sent`, `UpdateItem 1 returned`, `model sent`. */
  readonly steps: readonly string[];
  /** Whether it reached the step and was killed. */
  readonly died: boolean;
  readonly response: string | undefined;
}

/**
 * Sends a request to the API in a separate process and kills that process at one of its steps: at `sent` before the
 * call reaches AWS, at others before the process receives the reply. Without a step, the process runs until it is
 * idle.
 */
export async function sendToVictim(request: VictimRequest, fatalStep?: string): Promise<Death> {
  const steps: string[] = [];
  const made = new Map<string, number>();
  let died = false;
  const victim = await startProcess((step) => reach(step));

  async function reach(step: string): Promise<void> {
    steps.push(step);
    if (step !== fatalStep) return;
    died = true;
    await victim.end('SIGKILL');
    throw new Error('what a dead process requested is dropped');
  }

  function counted(operation: string): string {
    const count = (made.get(operation) ?? 0) + 1;
    made.set(operation, count);
    return `${operation} ${count}`;
  }

  async function startProcess(reached: (step: string) => Promise<void>) {
    const upstream = process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
    const database = await startDynamoProxy({
      upstream,
      faults: createFaults(),
      onRequest: (operation) => reached(`${counted(operation)} sent`),
      onReply: (operation) => reached(`${operation} ${made.get(operation)} returned`),
    });
    const model = await startModelProxy((what) => reached(`model ${what}`));
    const offset = services().clock.now() - Date.now();
    const child = spawn(process.execPath, ['test/support/service/serve-routes.ts', String(offset)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        AWS_ENDPOINT_URL_DYNAMODB: database.url,
        AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: model.url,
      },
    });
    const exited = once(child, 'exit');
    const [origin] = await once(child.stdout, 'data');
    return {
      origin: String(origin),
      async end(signal: 'SIGKILL' | 'SIGTERM') {
        child.kill(signal);
        await exited;
      },
      close: () => Promise.all([database.close(), model.close()]),
    };
  }

  const { method, path, key, body, headers } = request;
  const response = await fetch(victim.origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).then(
    (reply) => reply.text().catch(() => undefined),
    () => undefined,
  );
  if (!died) await quietOf(steps);
  await victim.end('SIGTERM');
  await victim.close();
  return { steps, died, response };
}

/** Resolves after a pause without steps, because a stream is settled after its client has received it. */
async function quietOf(steps: readonly string[]): Promise<void> {
  for (let seen = -1; seen < steps.length; await sleep(100)) seen = steps.length;
}

/**
 * Forwards requests to the SageMaker stand-in and its responses piece by piece. A step that rejects ends both. Holds
 * the last piece back until all have arrived, because it would tell the process that the response has ended.
 */
async function startModelProxy(reached: (what: string) => Promise<void>) {
  const upstream = process.env['AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME'] ?? '';
  return listen((request, response) => {
    async function pass(): Promise<void> {
      await reached('sent');
      const { method = '', url = '', headers } = request;
      const out = send(upstream + url, { method, headers: { ...headers, host: new URL(upstream).host } });
      request.pipe(out);
      const [reply] = await once(out, 'response');
      response.writeHead(reply.statusCode, reply.headers);
      let chunks = 0;
      let last: Buffer | undefined;
      for await (const chunk of reply) {
        await reached(`chunk ${(chunks += 1)}`);
        if (last) response.write(last);
        last = chunk;
      }
      await reached('returned');
      response.end(last);
    }
    pass().catch(() => response.destroy());
  });
}
