#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { firstModelFor } from '#contract/inference/models.ts';

/**
 * Tests a deployed service from outside, before the pipeline continues: registers, signs in and deletes an account.
 * With SMOKE_KEY, also checks that a chat succeeds and is charged. Usage: npx node bin/smoke.ts API_URL INFERENCE_URL
 */
const Envelope = v.object({ message: v.string(), data: v.unknown() });

interface Request {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(url: string, { method = 'POST', body, headers = {} }: Request, status: number, message: string) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Envelope), text);
  const code = parsed.success ? parsed.output.message : 'no envelope';
  if (response.status !== status || code !== message) {
    throw new Error(
      `${method} ${url} returned ${response.status} ${code}, expected ${status} ${message}: ${text.slice(0, 300)}`,
    );
  }
  console.log(`${response.status} ${code}  ${method} ${url}`);
  return response.headers;
}

async function smoke(api: string, inference: string, key: string | undefined): Promise<void> {
  const id = randomBytes(6).toString('hex');
  // SES's mailbox simulator accepts emails to this address.
  const email = `success+${id}@simulator.amazonses.com`;
  const password = `smoke ${randomBytes(12).toString('hex')}`;
  const registration = { email, name: 'Smoke test', password_hash: password };
  await call(`${api}/auth/register`, { body: registration }, 201, 'CONFIRMATION_LINK_SENT');
  const signedIn = await call(`${api}/auth/login`, { body: { email, password } }, 200, 'LOGIN_SUCCESS');
  const cookie = signedIn.getSetCookie()[0]?.split(';')[0] ?? '';
  await call(`${api}/auth/me`, { method: 'GET', headers: { cookie } }, 200, 'SUCCESS');
  await call(`${api}/auth/delete-account`, { headers: { cookie }, body: { email, password } }, 200, 'SUCCESS');
  await call(`${api}/nowhere`, { method: 'GET' }, 404, 'NOT_FOUND');

  const body = { model: firstModelFor('chat'), messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 };
  await call(`${inference}/chat/completions`, { body }, 401, 'INVALID_API_KEY');
  if (!key) return console.log('no SMOKE_KEY: no priced call was made');
  const headers = { authorization: `Bearer ${key}` };
  const charged = await call(`${inference}/chat/completions`, { body, headers }, 200, 'SUCCESS');
  if (!charged.get('x-credits-charged')) throw new Error('the response has no x-credits-charged header');
}

const [api, inference] = process.argv.slice(2);
if (!api || !inference) {
  console.error('usage: npx node bin/smoke.ts API_URL INFERENCE_URL');
  process.exitCode = 2;
} else {
  await smoke(api, inference, process.env['SMOKE_KEY']).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
