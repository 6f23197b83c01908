import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { toSrt, toVtt } from '#contract/audio/transcription.ts';

/** Regular expressions by source, with the files that contain them. */
const patterns = new Map<string, { pattern: RegExp; paths: Set<string> }>();
const root = join(import.meta.dirname, '../..');
const sources = globSync('{functions,local,dashboard/src}/**/*.{ts,tsx}', { cwd: root });

function add(pattern: RegExp, path: string): void {
  const { paths } = patterns.get(String(pattern)) ?? { paths: new Set() };
  patterns.set(String(pattern), { pattern, paths: paths.add(path) });
}

interface Node {
  readonly type?: string;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

function addLiterals(path: string, source: string): void {
  const visit = (node: Node): void => {
    if (node.regex) add(new RegExp(node.regex.pattern, node.regex.flags), path);
    for (const part of Object.values(node)) if (typeof part === 'object' && part !== null) visit(part);
  };
  visit(parseSync(path, source).program);
}

/** Patterns that a module builds when it is loaded. */
async function addMade(path: string): Promise<void> {
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, parameters: [string, string?]) {
      const made = new target(...parameters);
      if (new Error().stack?.includes(path)) add(made, path);
      return made;
    },
  });
  try {
    await import(/* @vite-ignore */ join(root, path));
  } finally {
    globalThis.RegExp = Original;
  }
}

/** Repeated units that may slow a pattern down: its own characters and words, common characters, and their pairs. */
function unitsOf({ source }: RegExp): string[] {
  const own = [...new Set(source.replaceAll(/\\[a-zA-Z]|[\\^$*+?()|{}]/g, ''))].slice(0, 12);
  const all = [...new Set([' ', '\n', 'a', '0', '-', '.', '"', '\\', ...own])];
  const words = source.split(/\\[a-zA-Z]|[\\^$*+?()|{}[\].]/).filter(({ length }) => length > 1 && length < 12);
  return [...all, ...own.flatMap((first) => all.map((second) => first + second)), ...words];
}

/** Milliseconds of CPU time. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const [small, large, mebibyte] = [2048, 16_384, 2 ** 20];

/** Maximum characters of the texts that a file's patterns read, for files with a limit. */
const maxLengths: Readonly<Record<string, number>> = {
  'functions/gateways/sagemaker/errors.ts': 2048,
};
const textOf = (unit: string, length: number, tail: string): string => unit.repeat(length / unit.length) + tail;

/**
 * Returns the text with the worst growth. For a text eight times as long, linear time grows about eightfold, quadratic
 * time 64-fold.
 */
function worstOf(pattern: RegExp): { readonly text: (length: number) => string; readonly growth: number } {
  const once = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  let worst = { text: (length: number) => textOf('a', length, ''), growth: 0 };
  let longest = 0;
  for (const unit of unitsOf(pattern)) {
    for (const tail of ['', '\u0001']) {
      const text = (length: number) => textOf(unit, length, tail);
      const time = (length: number): number => {
        const content = text(length);
        const began = performance.now();
        once.test(content);
        return performance.now() - began;
      };
      const first = time(large);
      if (first <= longest) continue;
      longest = first;
      const [base, grown] = [Math.min(time(small), time(small)), Math.min(first, time(large))];
      worst = { text, growth: grown < 2 ? 0 : grown / base };
    }
  }
  return worst;
}

function slownessOf(pattern: RegExp, length: number): string | undefined {
  const { text, growth } = worstOf(pattern);
  if (growth > 24 && length > large) return `on ${JSON.stringify(text(32))}: ×${growth}`;
  const content = text(length);
  const once = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  const ms = Math.min(...[1, 2, 3].map(() => timeOf(() => once.test(content))));
  return ms > 50 ? `on ${JSON.stringify(text(32))}: ${ms} ms` : undefined;
}

beforeAll(async () => {
  for (const path of sources) {
    const source = readFileSync(join(root, path), 'utf8');
    addLiterals(path, source);
    if (path.startsWith('functions/') && source.includes('new RegExp(')) await addMade(path);
  }
}, 60_000);

describe('the regular expressions of the service', () => {
  it('number more than 300', () => {
    expect(patterns.size).toBeGreaterThan(300);
  });

  it('run in time linear in the length of the text', { timeout: 120_000 }, () => {
    const slow = [...patterns.values()].flatMap(({ pattern, paths }) => {
      const [length = mebibyte] = [...paths].map((path) => maxLengths[path]);
      // Other processes slow a single measurement down, but not five.
      for (let tries = 1; ; tries++) {
        const reason = slownessOf(pattern, length);
        if (reason === undefined) return [];
        if (tries === 5) return [`${pattern} of ${[...paths].join(', ')} ${reason}`];
      }
    });
    expect(slow).toEqual([]);
  });
});

describe('the parsing of subtitles', () => {
  it.each(['-', ' ', '\n', '\r', '->', ' \n', '-->', '--->'])('of 1 MiB of %j takes less than 200 ms', (unit) => {
    const segments = [{ start: 0, end: 1, text: `a${unit.repeat(mebibyte / unit.length)}b` }];
    for (const write of [toSrt, toVtt]) expect(timeOf(() => write(segments))).toBeLessThan(200);
  });
});
