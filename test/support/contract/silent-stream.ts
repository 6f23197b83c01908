import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '#contract/routes.ts';
import { samples } from '#contract/samples.ts';
import { parseCredential } from '#domain/shared/credential.ts';
import { services } from '#runtime/services/container.ts';

/** Begins a streamed response whose model is silent. Resolves when the call is admitted. */
export async function openSilentStream(origin: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/_local/faults', { target: 'sagemaker', fault: 'hang' });
  const { id: route, path } = routes.createResponse;
  const ended = post(path, { ...Object(samples[route]?.body), stream: true }).then((reply) => reply.text());
  for (let tries = 0; tries < 200; tries++) {
    const meter = await services()
      .metering()
      .find(parseCredential(key)?.accountId ?? 0);
    const [requestId] = meter?.holds.keys() ?? [];
    if (requestId !== undefined) return { requestId, ended };
    await sleep(50);
  }
  throw new Error('the silent stream was not admitted');
}
