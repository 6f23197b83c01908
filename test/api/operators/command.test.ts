import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { useOperator } from '#test/requests/operator-actions.ts';
import { type Person } from '#test/service/service.ts';

const { service, operator, me } = useOperator();

describe('npx node bin/operator.ts', () => {
  /** Runs the command with the tables of the running service, unless `env` names others. */
  async function run(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['bin/operator.ts', ...args], { env: { ...process.env, ...env } });
    const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { out, err, exitCode };
  }
  const roleOf = async ({ cookie }: Person) => (await me(cookie)).body.data.role;

  it('promotes a viewer to operator, and demotes an operator to viewer', async () => {
    const person = await service.person();
    expect(await run([person.email.toUpperCase()])).toMatchObject({ exitCode: 0, err: '' });
    expect(await roleOf(person)).toBe('operator');
    expect(await run([person.email, 'viewer'], { ACCOUNTS_TABLE: '', METERS_TABLE: '' })).toEqual({
      exitCode: 0,
      err: '',
      out: `${person.email} has the role viewer now.\n`,
    });
    expect(await roleOf(person)).toBe('viewer');
  });

  it('reports each failure in one sentence', async () => {
    const [unknown, unreachable, noTables] = await Promise.all([
      run(['nobody@example.com']),
      run([operator.email], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' }),
      run([operator.email], { AWS_ENDPOINT_URL_DYNAMODB: '', ACCOUNTS_TABLE: '' }),
    ]);
    expect(unknown).toEqual({ exitCode: 1, out: '', err: 'The role was not changed: There is no such account.\n' });
    expect(unreachable).toMatchObject({ exitCode: 1, err: expect.stringMatching(/^The role was not changed: .+\n$/) });
    expect(noTables).toEqual({
      exitCode: 1,
      out: '',
      err: 'The role was not changed: ACCOUNTS_TABLE is not set: set it to the name of the deployed table.\n',
    });
    expect(await run([operator.email, 'king'])).toMatchObject({
      exitCode: 2,
      out: '',
      err: expect.stringMatching(/^There is no role king/),
    });
  });

  it('prints its usage', async () => {
    expect(await run(['--help'])).toMatchObject({
      exitCode: 0,
      err: '',
      out: expect.stringMatching(/^Usage: npx node .*dynoxide/s),
    });
    for (const args of [[], ['a', 'viewer', 'b'], ['--force']])
      expect(await run(args)).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(/^Usage: npx node/) });
  });
});
