import { describe, expect, it } from 'vitest';
import { audioGateway } from '#gateways/sagemaker/audio-gateway.ts';
import type { Invocation, ModelRuntime } from '#gateways/sagemaker/runtime.ts';
import { RecentFailures } from '#gateways/sagemaker/served-model.ts';

const server = { kind: 'openai', url: 'https://models.example/v1', model: 'whisper' } as const;

/** Sends one request to a container or server that replies with these fields. */
async function translated(reply: object, options: { isServer?: boolean; translate?: true } = {}) {
  const { isServer = false, translate } = options;
  const sent: Invocation[] = [];
  const runtime: ModelRuntime = {
    reply: (invocation) => async () => {
      sent.push(invocation);
      return { text: 'Good day', duration: 1, segments: [], ...reply };
    },
    parts: () => {
      throw new Error('nothing is streamed');
    },
  };
  const place = isServer ? server : ({ kind: 'sagemaker', endpoint: 'whisper', family: 'whisperx' } as const);
  const failures = new RecentFailures();
  const settings = { endpointsOf: () => [place], deadlineMs: 1000, streamDeadlineMs: 1000, failures };
  const request = { bytes: Buffer.from('audio'), contentType: 'audio/wav', words: false, translate };
  const transcript = await audioGateway(runtime, settings).transcribe('svc-transcribe', request);
  const [{ body, attributes } = { body: undefined }] = sent;
  return { transcript, form: String(body), attributes };
}

describe('the translation of speech', () => {
  it('is requested with the field `task`, and on OpenAI-compatible servers at its own path', async () => {
    const { transcript, form, attributes } = await translated({ task: 'translate' }, { translate: true });
    expect(transcript.text).toBe('Good day');
    expect(form).toContain('name="task"\r\n\r\ntranslate\r\n');
    expect(attributes).toBe('route=/v1/audio/translations');
    const transcription = await translated({ task: 'transcribe' });
    expect([transcription.form.includes('name="task"'), transcription.attributes]).toEqual([false, undefined]);
  });

  it.each([['transcribe'], [undefined], ['']])(
    'is refused if the container ignores the field, and reports the task %j',
    async (task) => {
      await expect(translated({ task }, { translate: true })).rejects.toMatchObject({
        code: 'INVALID_FORMAT',
        message: expect.stringMatching(/^The model svc-transcribe cannot translate speech\./),
        field: { path: 'model' },
      });
    },
  );

  it('is accepted from a server that does not report its task', async () => {
    expect((await translated({}, { translate: true, isServer: true })).transcript.text).toBe('Good day');
    await expect(translated({ task: 'transcribe' }, { translate: true, isServer: true })).rejects.toThrow('translate');
  });
});
