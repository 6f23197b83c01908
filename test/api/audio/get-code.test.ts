import { spawn, spawnSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { useTestService } from '#test/service/service.ts';
import type { CodeRequest } from '../../../dashboard/src/pages/playground/code/code-request.ts';
import { codeSnippets } from '../../../dashboard/src/pages/playground/code/snippets.ts';

const root = new URL('../../../', import.meta.url).pathname;
const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;
const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['sh', '-eu'],
  ...(hasRequests && { python: ['python3', '-'], 'openai-python': ['python3', '-'] }),
  javascript: [process.execPath, '--input-type=module', '-'],
  'openai-node': [process.execPath, '--input-type=module', '-'],
};

const hasJq = spawnSync('sh', ['-c', 'command -v jq']).status === 0;
/** The OpenAI SDKs have no transcription jobs. */
const hasLong = (id: string) => !id.startsWith('openai') && (id !== 'curl' || hasJq);

const service = useTestService();
let key: string;
let folder: string;
beforeAll(async () => {
  ({ key } = await service.person({ planRank: 4 }));
  folder = await testFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const speech = { text: 'The river is wide.', format: 'wav' };
  const { body } = await service.call('POST', '/api/ai/speech', { key, body: speech });
  await writeFile(join(folder, 'river.wav'), Buffer.from(body.data.audio, 'base64'));
});
afterAll(() => removeFolder(folder));

/** Runs a snippet in its own folder, and returns its output. */
async function run(id: string, request: CodeRequest): Promise<string> {
  const code = codeSnippets(service.origin, request).find((snippet) => snippet.id === id)?.code ?? '';
  const [command, ...args] = commands[id] ?? ['false'];
  const env = {
    ...process.env,
    API_KEY: key,
    PYTHONPATH: join(root, 'test/support/python'),
    PYTHONDONTWRITEBYTECODE: '1',
    HOME: folder,
  };
  const child = spawn(command, args, { cwd: folder, env });
  child.stdin.end(code);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + error;
}

/** Contains the quotes and substitutions of each language. */
const words = `Good morning. It's "half" past $HOME, \${API_KEY} and \`id\`.`;

describe.each(Object.keys(commands))('code in %s', (id) => {
  it('converts a text to a speech file, and transcribes that file with timestamps', async () => {
    const body = { text: words, voice: 'nova', format: 'wav', speed: 1.25 } as const;
    const spoken = await run(id, { kind: 'speech', body });
    if (id !== 'curl') expect(spoken).toBe('speech.wav\n');
    expect((await readFile(join(folder, 'speech.wav'))).toString('latin1', 0, 4)).toBe('RIFF');
    for (const timestamps of ['none', 'word'] as const) {
      const fields = { timestamps, language: 'en' };
      const out = await run(id, { kind: 'transcription', file: 'speech.wav', body: fields });
      expect(out.replaceAll(String.raw`\"`, '"')).toContain(words);
      expect(/0 \d\.\d+ Good morning|"start":0,/.test(out)).toBe(timestamps === 'word');
    }
  });

  it.skipIf(!hasLong(id))('uploads a long file, and transcribes it by a job', async () => {
    const long = { kind: 'long-transcription', file: 'river.wav', contentType: 'audio/wav' } as const;
    const out = await run(id, { ...long, body: { timestamps: 'word', language: 'en' } });
    expect(out).toBe('completed\nThe river is wide.\n');
    const refused = await run(id, { ...long, contentType: 'audio/mpeg', body: {} });
    expect(refused).toMatch(/INVALID_FORMAT|error: 400/);
    expect(refused).not.toContain('completed');
  });

  it('shows a refusal', async () => {
    const out = await run(id, { kind: 'speech', body: { text: '…', format: 'wav' } });
    expect(out).toMatch(/cannot speak this text|error: 400/);
  });
});
