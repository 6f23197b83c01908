import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guides, originMark } from '#contract/dashboard-config.ts';
import { services } from '#runtime/services/container.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { seed, someOf } from '#test/many.ts';
import { usePerson, useTestService } from '#test/service/service.ts';
import { withOriginMark } from '../../dashboard/content/markdown.ts';
import { withKey } from '../../dashboard/src/pages/guides/guide.ts';

interface Block {
  readonly heading: string;
  readonly language: string;
  readonly code: string;
  /** A pattern of its output. */
  readonly expected: string | undefined;
}

const root = new URL('../../', import.meta.url).pathname;
const blocks: Block[] = [];
const parts = /^#+ (.+)$|(?:<!-- expect: (.+) -->\n\n)?^```(\w+)\n([^]*?)^```$/gm;
// Credits has no examples, and those of webhooks are servers, which their own test runs.
for (const slug of guides.filter((name) => name !== 'credits' && name !== 'webhooks')) {
  let heading = '';
  for (const [, title, expected, language = '', code = ''] of readFileSync(
    `${root}docs/guides/${slug}.md`,
    'utf8',
  ).matchAll(parts)) {
    if (title === undefined) blocks.push({ heading: `${slug}, ${heading}`, language, code, expected });
    else heading = title;
  }
}
/** The code as the dashboard displays it to a user with a selected key: with its own origin and that key. */
const shown = (code: string): string =>
  withKey(withOriginMark(code).replaceAll(originMark, service.origin), person.key);
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);
const named = (list: readonly Block[]) =>
  list.map((block, index) => [`${block.heading}, ${index + 1}`, block] as const);
/** Examples that also run with the reader's key. At full length, all but those of audio, which would cost twice. */
console.log(`examples of seed ${seed}`);
const isOfAudio = ({ heading }: Block) => heading.startsWith('audio, ');
const withReadersKey = new Set(
  someOf(
    blocks.filter((block) => !isOfAudio(block)),
    2,
    seed,
  ),
);
const python = inLanguage('python');
const isForSdk = ({ code }: Block) => code.includes('from openai');

/** Runs code from standard input. Rejects with the output if it fails. */
async function run(
  command: string,
  args: readonly string[],
  code: string,
  where: string,
  key: string,
): Promise<string> {
  const env = { ...process.env, ...(key !== '' && { API: service.origin, API_KEY: key }) };
  const child = spawn(command, args, { cwd: where, env });
  child.stdin.end(code);
  const [out, error, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  if (exit !== 0) throw new Error(`${command} ended with ${exit}: ${error}${out}`);
  return out;
}

const has = async (command: string): Promise<boolean> => {
  const child = spawn(command, ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => child.on('error', () => resolve(false)).on('close', (exit) => resolve(exit === 0)));
};
const [hasCurl, hasPython] = [await has('curl'), await has('python3')];

const service = useTestService();
const person = usePerson(service, { planRank: 4 });
/** Runs the examples of audio, on a free account. */
const listener = usePerson(service);
const keyFor = (block: Block) => (isOfAudio(block) ? listener.key : person.key);
let folder: string;
beforeAll(async () => {
  folder = await testFolder();
  // Examples run in this folder, so it needs the packages. It also contains the files that earlier examples saved.
  symlinkSync(`${root}node_modules`, `${folder}/node_modules`);
});
afterAll(() => removeFolder(folder));

describe('an example of the guides', () => {
  it('exists in every language, with its expected output', () => {
    expect([inLanguage('sh').length, inLanguage('js').length, python.length]).toEqual([16, 16, 10]);
    const silent = blocks.filter(({ expected }) => !expected);
    expect(silent.map(({ heading, language }) => `${heading}: ${language}`)).toEqual([
      'openai-sdks, Python: python',
      'openai-sdks, Timeouts and retries: python',
      'errors, Errors: json',
    ]);
  });

  it.skipIf(!hasCurl).each(named(inLanguage('sh')))('%s, works in a shell (skipped without curl)', async (_, block) => {
    expect(await run('sh', ['-e'], block.code, folder, keyFor(block))).toMatch(new RegExp(block.expected!, 's'));
    if (block.code.includes('/v1') && withReadersKey.has(block))
      expect(await run('sh', ['-e'], shown(block.code), folder, '')).toMatch(new RegExp(block.expected!, 's'));
  });

  it.each(named(inLanguage('js')))('%s, works in Node', async (_, block) => {
    for (const [text, key] of withReadersKey.has(block)
      ? [
          [block.code, keyFor(block)],
          [shown(block.code), ''],
        ]
      : [[block.code, keyFor(block)]])
      expect(await run(process.execPath, ['--input-type=module', '-'], text!, folder, key!)).toMatch(
        new RegExp(block.expected!, 's'),
      );
  });

  it.each(someOf(named(inLanguage('js')), 1, seed))('%s, prints the reason for a refusal', async (_, { code }) => {
    const refused = run(process.execPath, ['--input-type=module', '-'], code, folder, 'a key of nobody');
    await expect(refused).rejects.toThrow(/invalid_api_key|authentication_error/i);
  });

  it.skipIf(!hasPython).each(named(python.filter((block) => !isForSdk(block))))(
    '%s, works in Python (skipped without python3)',
    async (_, block) => {
      expect(await run('python3', ['-'], block.code, folder, keyFor(block))).toMatch(new RegExp(block.expected!, 's'));
      if (withReadersKey.has(block))
        expect(await run('python3', ['-'], shown(block.code), folder, '')).toMatch(new RegExp(block.expected!, 's'));
    },
  );

  it.skipIf(!hasCurl || !hasPython)(
    'of the audio guide costs, together with the others, less than the credits of a free account',
    async () => {
      const { spendable } = (await services().metering().find(listener.id))!;
      expect(spendable / 1_000_000).toBeGreaterThan(48);
      expect(spendable / 1_000_000).toBeLessThan(50);
    },
  );

  it.skipIf(!hasPython).each(named(python.filter(isForSdk)))(
    '%s, parses as Python; it does not run, because the openai package is not installed (skipped without python3)',
    async (_, { code }) => {
      const check = 'import ast, sys; ast.parse(sys.stdin.read()); print("parsed")';
      expect(await run('python3', ['-c', check], code, folder, '')).toContain('parsed');
      await expect(run('python3', ['-c', check], `${code}\n)`, folder, '')).rejects.toThrow('SyntaxError');
    },
  );
});
