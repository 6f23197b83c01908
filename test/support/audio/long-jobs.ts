import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { services } from '#runtime/services/container.ts';
import type { Person, TestService } from '#test/service/service.ts';
import { silence } from './files.ts';
import { transcribed, uploaded } from './long-audio.ts';

/** 20 seconds, which cost 2 credits. */
export const wav = silence(20);

export const spendable = async ({ id }: Person): Promise<number> =>
  (await services().metering().current(id, services().clock.now())).spendable / 1_000_000;

export async function hanging(service: TestService, { key }: Person): Promise<string> {
  await service.post('/_local/faults', { target: 'sagemaker', fault: 'hang', count: 1 });
  const { body } = await transcribed(service, key, await uploaded(service, key, wav));
  return body.data.id;
}

/** The SNS event of a job's end; `reply` is the key of the model's output. */
export const eventOf = (
  { id: accountId }: Person,
  id: string,
  reply?: string,
  invocationStatus = reply === undefined ? 'Failed' : 'Completed',
) => ({
  Records: [
    {
      Sns: {
        Message: JSON.stringify({
          invocationStatus,
          requestParameters: { inputLocation: `s3://audio/forms/${accountId}/${id}` },
          ...(reply !== undefined && { responseParameters: { outputLocation: `s3://audio/${reply}` } }),
          inferenceId: randomUUID(),
        }),
      },
    },
  ],
});

export const jobsOf = async (service: TestService, { key }: Person) =>
  (await service.call('GET', '/api/ai/transcriptions', { key })).body.data.items as {
    id: string;
    status: string;
    credits: number;
  }[];

/** Keys of the files in the bucket that belong to an account. */
export async function filesOf(service: TestService, { id }: Person): Promise<string[]> {
  const folder = join(service.folder, 'audio');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const metas = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '{}')));
  return metas.map((meta) => String(JSON.parse(meta).key)).filter((key) => key.includes(`/${id}/`));
}
