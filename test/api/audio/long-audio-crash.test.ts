import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sweepTranscriptions } from '#jobs/audio.ts';
import { services } from '#runtime/services/container.ts';
import { silence } from '#test/audio/files.ts';
import { uploaded } from '#test/audio/long-audio.ts';
import { patience, seed, someOf } from '#test/many.ts';
import { type Person, useTestService } from '#test/service/service.ts';
import { sendToVictim } from '#test/service/victim.ts';

const sweep = sweepTranscriptions();
const service = useTestService();

const wav = silence(20);

async function begin() {
  const person = await service.person({ planRank: 3, credits: 100 });
  const body = { uploadId: await uploaded(service, person.key, wav) };
  return { person, request: { method: 'POST', path: '/api/ai/transcriptions', key: person.key, body } };
}

async function spentBy({ id }: Person): Promise<number> {
  const { spendable, holds } = await services().metering().current(id, services().clock.now());
  expect(holds.size).toBe(0);
  return 100 - spendable / 1_000_000;
}

it(
  `a transcription whose function crashes at any step is charged for its result, and ends (SEED=${seed})`,
  { timeout: 4 * patience },
  async () => {
    const whole = await begin();
    const { died, steps, response } = await sendToVictim(whole.request);
    expect([died, response]).toEqual([false, expect.stringContaining('SUCCESS')]);
    const killable = steps.filter((step) => !step.includes('chunk'));
    expect(killable.filter((step) => step.startsWith('TransactWriteItems'))).toHaveLength(2);
    const killed = [];
    for (const step of someOf(killable, 3, seed)) {
      const { person, request } = await begin();
      const death = await sendToVictim(request, step);
      expect([step, death.died]).toEqual([step, true]);
      killed.push({ step, person });
    }
    await sleep(500);
    await service.post('/_local/clock', { advance: 'PT8H' });
    await sweep();
    for (const { step, person } of [...killed, { step: 'none', person: whole.person }]) {
      const { body } = await service.call('GET', '/api/ai/transcriptions', { key: person.key });
      const jobs: { status: string; credits: number }[] = body.data.items;
      expect([step, jobs.filter(({ status }) => ['queued', 'running'].includes(status))]).toEqual([step, []]);
      expect([step, jobs.length <= 1]).toEqual([step, true]);
      const cost = jobs[0]?.status === 'completed' ? 2 : 0;
      expect([step, await spentBy(person)]).toEqual([step, cost]);
      expect([step, jobs[0]?.credits ?? 0]).toEqual([step, cost]);
    }
  },
);
