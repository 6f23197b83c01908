import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableVariables } from '#contract/platform/environment.ts';
import { startService } from '#local/start/service.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { runCommand } from '#test/run-command.ts';
import { bearer, call } from '#test/service/local-calls.ts';

/** Without the variables that name another database. */
const noTables = Object.fromEntries(Object.values(tableVariables).map((name) => [name, '']));
const env = { ...noTables, AWS_ENDPOINT_URL_DYNAMODB: '' };
const email = 'demo@example.com';

describe('npx node bin/operator.ts without a database in its environment', () => {
  let folder: string;
  const operator = (...args: string[]) => runCommand('bin/operator.ts', args, env);
  const start = () => startService({ port: 0, data: folder, wordDelayMs: 0, log: () => undefined });

  async function roleIn({ origin, status }: Awaited<ReturnType<typeof start>>): Promise<string> {
    const headers = bearer(status.demo?.apiKey ?? '');
    return (await call(origin, 'GET', '/api/auth/me', undefined, headers)).json.data.role;
  }

  beforeAll(async () => {
    folder = await testFolder();
  });
  afterAll(() => removeFolder(folder));

  it('uses the database of a running service, and the same one after it has stopped', async () => {
    const service = await start();
    const running = await operator(email, '--data', folder);
    const role = await roleIn(service);
    await service.close();
    const stopped = await operator(email, 'viewer', '--data', folder);
    const again = await start();
    const roleAfter = await roleIn(again);
    await again.close();

    expect(running).toEqual({
      status: 0,
      err: '',
      out: `Using the database of the running service (process id ${process.pid}) in ${folder}.\n${email} has the role operator now.\n`,
    });
    expect(stopped).toEqual({
      status: 0,
      err: '',
      out: `No service is running: using the database in ${folder}.\n${email} has the role viewer now.\n`,
    });
    expect([role, roleAfter]).toEqual(['operator', 'viewer']);
  });

  it('refuses a folder without a database', async () => {
    const none = join(folder, 'nothing');
    const { status, err } = await operator(email, '--data', none);
    expect(status).toBe(1);
    expect(err).toBe(
      `Nothing was changed: There is no database in ${none}. Name the data folder of npm start with --data DIR.\n`,
    );
  });
});
