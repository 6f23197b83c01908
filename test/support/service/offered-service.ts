import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiClient } from '#local/admin/demo-account.ts';
import { endWithFile } from '#test/children.ts';

/** An offer file as text; the tests change copies of the example. */
export type OfferFile = Record<string, any>;

export const exampleOffer = async (): Promise<OfferFile> =>
  JSON.parse(await readFile(new URL('../../../examples/offers/open-models.json', import.meta.url), 'utf8'));

interface OfferedOptions {
  readonly isBuilt?: boolean;
  /** Takes payments by the stand-in for Stripe. */
  readonly takesPayments?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a service with an offer in a process of its own, on the data of a folder. */
export async function startOffered(
  offer: OfferFile,
  folder: string,
  { isBuilt = false, takesPayments = false, env = {} }: OfferedOptions = {},
) {
  const file = join(folder, 'offer.json');
  await writeFile(file, JSON.stringify(offer));
  const child = spawn(
    process.execPath,
    [
      'test/support/service/serve-offer.ts',
      file,
      join(folder, 'data'),
      ...(isBuilt ? ['build'] : []),
      ...(takesPayments ? ['payments'] : []),
    ],
    { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  endWithFile(child);
  const [line] = await once(child.stdout, 'data');
  const { origin, key }: { origin: string; key: string } = JSON.parse(String(line));

  async function call(method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  const owner = apiClient(origin);
  const { email, password } = JSON.parse(await readFile(join(folder, 'data', 'demo.json'), 'utf8'));
  const signIn = () => owner.expect(200, 'POST', '/api/auth/login', { body: { email, password } });
  await signIn();

  return {
    origin,
    key,
    /** Calls with the demo account's key. */
    call,
    /** Signs the demo account in again, after its session has expired. */
    signIn,
    /** Calls with a session of the demo account. Throws for any other status. */
    owner: async (status: number, method: string, path: string, body?: object): Promise<any> =>
      (await owner.expect(status, method, path, body && { body })).data,
    async advance(by: string): Promise<void> {
      const { status } = await call('POST', '/_local/clock', { advance: by });
      if (status !== 200) throw new Error(`the clock did not move: ${status}`);
    },
    async stop(): Promise<void> {
      child.kill();
      await once(child, 'exit');
    },
  };
}
