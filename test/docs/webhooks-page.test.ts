import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength } from '#test/many.ts';
import { freePort } from '#test/service/free-port.ts';
import { usePerson, useTestService } from '#test/service/service.ts';
import { verifySnippets } from '../../dashboard/src/pages/webhooks/verify-snippets.ts';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const blocks = new Map(
  Array.from(page.matchAll(/^```(\w+)\n([^]*?)^```$/gm), ([, language = '', code = '']) => [language, code]),
);

/** Shell examples with their expected output. */
const shellBlocks = [...page.matchAll(/<!-- expect: (.+) -->\n\n```sh\n([^]*?)^```$/gm)];

const languages = [
  { language: 'js', file: 'server.mjs', command: process.execPath, version: '--version', args: [] },
  { language: 'python', file: 'server.py', command: 'python3', version: '--version', args: [] },
  { language: 'go', file: 'server.go', command: 'go', version: 'version', args: ['run'] },
  { language: 'java', file: 'Server.java', command: 'java', version: '--version', args: [] },
];

const isThere = (command: string, version: string): Promise<boolean> => {
  const child = spawn(command, [version], { stdio: 'ignore' });
  return new Promise((resolve) => child.on('error', () => resolve(false)).on('close', (exit) => resolve(exit === 0)));
};
const hasCurl = await isThere('curl', '--version');
const there = await Promise.all(languages.map(async ({ command, version }) => isThere(command, version)));
/** Compiled languages take long. */
const isQuick = ({ language }: { language: string }) => atLength(language === 'js' || language === 'python', true);
const installed = languages.filter((one, index) => there[index] && isQuick(one));

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const body = '{"type":"credits.low","timestamp":"2027-02-25T12:00:00.000Z","data":{"balance":19999.5,"note":"é"}}';
const now = () => Math.floor(Date.now() / 1000);

/** The headers of a request by the reference implementation of Standard Webhooks. */
function signed({ by = [secret], at = now(), text = body } = {}) {
  const id = 'evt_2cPqXz9LmbYcV3kTs0aRdE';
  const signatures = by.map((key) => new Webhook(key).sign(id, new Date(at * 1000), text));
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signatures.join(' ') };
}

const right = signed();
const requests: [what: string, headers: Record<string, string>, text: string, status: number][] = [
  ['a correctly signed request', right, body, 204],
  ['two signatures, the second with its own secret', signed({ by: [other, secret] }), body, 204],
  ['two signatures, the first with its own secret', signed({ by: [secret, other] }), body, 204],
  ['another body', right, body.replace('1', '2'), 400],
  ['the signature of another secret', signed({ by: [other] }), body, 400],
  ['another id', { ...right, 'webhook-id': 'evt_other' }, body, 400],
  ['another timestamp', { ...right, 'webhook-timestamp': String(now() - 1) }, body, 400],
  ['an old request', signed({ at: now() - 400 }), body, 400],
  ['a request from the future', signed({ at: now() + 400 }), body, 400],
  ['an invalid timestamp', { ...right, 'webhook-timestamp': 'soon' }, body, 400],
  ['an empty signature', { ...right, 'webhook-signature': '' }, body, 400],
  ['a signature that is not base64', { ...right, 'webhook-signature': 'v1,=é¡ v1 ,' }, body, 400],
  ['no headers', {}, body, 400],
  ['an empty body', signed({ text: '{}' }), '', 400],
];

/** The process group may have ended already. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(async () => {
  for (const { pid } of children) if (pid !== undefined) endGroup(pid);
  await removeFolder(folder);
});

/** Starts the server of a language in its own process group, because some commands start another process. */
async function startServer({ language, file, command, args }: (typeof languages)[number]): Promise<string> {
  const port = await freePort();
  await writeFile(join(folder, file), blocks.get(language)!);
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
  const child = spawn(command, [...args, file], { cwd: folder, env, stdio: 'ignore', detached: true });
  children.push(child);
  const origin = `http://127.0.0.1:${port}`;
  await expect
    .poll(() => fetch(origin, { method: 'POST' }).then(({ status }) => status, String), { timeout: 60_000 })
    .toBe(400);
  return origin;
}

describe('docs/webhooks.md', () => {
  it('verifies signatures in four languages, with the code of the dashboard for two of them', () => {
    expect(languages.filter(({ language }) => !blocks.has(language))).toEqual([]);
    const shown = verifySnippets.map(({ code }) => `${code}\n`);
    expect(shown).toEqual([blocks.get('js'), blocks.get('python')]);
  });

  it.skipIf(!hasCurl)(
    'creates a webhook, sends it a test, and lists its deliveries (skipped without curl)',
    async () => {
      const port = String(await freePort());
      await writeFile(join(folder, 'server.mjs'), blocks.get('js')!);
      const shell = shellBlocks.map(([, expected = '', code = '']) => ({ expected, code }));
      expect(shell.length).toBe(2);
      for (const { expected, code } of shell) {
        const env = { ...process.env, API: service.origin, API_KEY: person.key, PORT: port };
        const lines = code.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);
        const child = spawn('sh', ['-e', '-c', lines], { cwd: folder, env, detached: true });
        children.push(child);
        let printed = '';
        child.stdout.on('data', (piece) => (printed += String(piece)));
        await expect.poll(() => printed, { timeout: 20_000 }).toContain(expected);
      }
      const list = (await service.call('GET', '/api/webhooks', { key: person.key })).body.data.items;
      const { id } = list.find(({ url }: { url: string }) => url.includes(port));
      const deliveries = () => service.call('GET', `/api/webhooks/${id}/deliveries`, { key: person.key });
      await expect
        .poll(async () => (await deliveries()).body.data.items, { timeout: 20_000 })
        .toMatchObject([{ type: 'webhook.test', status: 'delivered' }]);
    },
    60_000,
  );

  it('is executed at least in Node', () => {
    expect(installed.map(({ language }) => language)).toContain('js');
  });

  it.each(installed.map((server) => [server.language, server] as const))(
    'has a server in %s that accepts a correctly signed request, and no others',
    async (_, server) => {
      const origin = await startServer(server);
      const statuses = await Promise.all(
        requests.map(async ([what, headers, text]) => {
          const bytes = Object.entries(headers).map(([name, value]) => [name, value] as [string, string]);
          const { status } = await fetch(origin, { method: 'POST', headers: bytes, body: text });
          return [what, status];
        }),
      );
      expect(statuses).toEqual(requests.map(([what, , , status]) => [what, status]));
    },
    90_000,
  );
});
