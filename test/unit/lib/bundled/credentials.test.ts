import { afterEach, expect, it } from 'vitest';
import { defaultProvider } from '#lib/bundled/credentials.ts';
import { withEnvironment } from '#test/service/environment.ts';

/** The replacement of the SDK's default credentials in a function's code. */
let restore = () => {};
afterEach(() => restore());

const environment = (key: string, expiration?: string) => {
  restore();
  restore = withEnvironment({
    AWS_ACCESS_KEY_ID: key,
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    ...(expiration && { AWS_CREDENTIAL_EXPIRATION: expiration }),
  });
};
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

it.each([
  ['are read from the environment once', undefined, 'first'],
  ['are kept while they are good', inMinutes(60), 'first'],
  ['are read again when they end', inMinutes(-1), 'second'],
])('credentials %s', async (_, expiration, expected) => {
  const credentials = defaultProvider()!;
  environment('first', expiration);
  expect(await credentials()).toMatchObject({ accessKeyId: 'first', secretAccessKey: 'secret', sessionToken: 'token' });
  environment('second', expiration);
  expect(await credentials()).toMatchObject({ accessKeyId: expected });
});
