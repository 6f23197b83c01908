import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { resetEnvironment } from '#runtime/process.ts';
import { begun, streamed, useHostileModel, whole, wholeReply } from '#test/models/hostile/hostile-calls.ts';
import type { Misdeed } from '#test/models/hostile/hostile-runtime.ts';

const running = useHostileModel();
const { resultsOf } = running;

describe('a slow model', () => {
  beforeAll(() => {
    process.env['MODEL_DEADLINE_MS'] = '1000';
    resetEnvironment();
  });

  async function trickle(res: ServerResponse, bytes: string | Uint8Array): Promise<void> {
    for (; !res.destroyed; await sleep(50)) res.write(bytes);
  }
  const slow: [string, Misdeed][] = [
    ['has no end after its last byte', (res) => begun({ 'transfer-encoding': 'chunked' }, wholeReply)(res)],
    ['trickles', (res) => trickle(begun({})(res), ' ')],
    ['trickles its frames', (res) => trickle(begun({})(res), payloadPart(Buffer.from(':')))],
  ];
  describe.each(slow)('that %s', (name, misdeed) => {
    const framed = name.includes('frames');
    it.each<readonly [string, string, object]>(framed ? streamed : whole)(
      'returns an uncharged 504: %s',
      async (_, path, body) => {
        running.model.becomes(misdeed);
        const { statuses, cost } = await resultsOf(path, body, 1);
        expect([statuses, cost]).toEqual([[504], 0]);
      },
    );
  });
});
