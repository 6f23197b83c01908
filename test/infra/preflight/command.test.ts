import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '#test/folder.ts';
import { exitStatusOf, missing, ok } from '../../../bin/preflight/account.ts';
import { startStubAws } from '../stub-aws.ts';
import { readyAccount } from './account.ts';

const aws = await startStubAws();
const { credentials } = aws;
beforeEach(() => aws.play(readyAccount));
afterAll(() => aws.close());

describe('npm run preflight', () => {
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const home = await testFolder();
    const nowhere = { HOME: home, PATH: process.env['PATH'] ?? '', AWS_EC2_METADATA_DISABLED: 'true' };
    const child = spawn(process.execPath, ['bin/preflight.ts', ...args], {
      cwd: join(import.meta.dirname, '../../..'),
      env: { ...nowhere, AWS_ENDPOINT_URL: aws.url, AWS_REGION: 'eu-west-1', ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    const [code] = await once(child, 'close');
    return { code, lines: output.trim().split('\n') };
  };

  const missingIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith('missing  '));

  test('prints a line for each check, and reports only placeholder settings as missing for the default stage', async () => {
    const { code, lines } = await run(['live'], credentials);
    expect(lines).toContain('ok       CDK bootstrap               CDKToolkit has version 28');
    expect(lines).toHaveLength(16);
    expect(missingIn(lines)).toEqual([
      expect.stringMatching(/^missing {2}Mail sender .*example\.com is reserved/),
      expect.stringMatching(/^missing {2}Alarms .*alarms\.email must be an address/),
    ]);
    expect(code).toBe(1);
  });

  test('succeeds if no prerequisite is missing', () => {
    const results = [{ name: 'Region', ...ok('eu-west-1') }];
    expect(exitStatusOf(results)).toBe(0);
    expect(exitStatusOf([...results, { name: 'Alarms', ...missing('no address') }])).toBe(1);
  });

  test('reports missing credentials for each check that needs them', async () => {
    const { code, lines } = await run(['live']);
    expect(lines[0]).toMatch(/^missing {2}Credentials .*There are no credentials: run aws login/);
    expect(lines[1]).toMatch(/^ok /);
    for (const line of lines.slice(2).filter((line) => !/^\w+ +(Mail sender|Alarms) /.test(line)))
      expect(line).toMatch(/^unknown .*not checked without credentials$/);
    expect(code).toBe(1);
    expect(aws.called).toEqual([]);
  });

  test('reports a missing region', async () => {
    const { code, lines } = await run(['live'], { AWS_REGION: '' });
    expect(lines).toEqual(['missing  Region  There is no region: set AWS_REGION, or env of the stage.']);
    expect(code).toBe(1);
  });

  test('fails for a stage that does not exist', async () => {
    const { code, lines } = await run(['prod']);
    expect([code, lines[0]]).toEqual([1, 'no stage is called prod; there are: live, staging']);
  });
});
