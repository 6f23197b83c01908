import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that need the service on one machine, beside those that turn its clock or break its parts (they skip themselves). */
const onlyOnOneMachine = [
  // The local AWS cannot stream, reads paths in its own way, and takes a slash at the end of one for nothing.
  'stream',
  'for a path that the gateway cannot read',
  String.raw`GET /\S+/ returns`,
  // Deployed, the cookie has another name.
  'returns 201 with the user',
  // They read a table by its name, or the clock of one machine.
  'changes the name and nothing else',
  'end at their expiry',
  'are at most 50 active',
  // They count the calls of a model server of their own.
  'an SDK that gives up before the response',
  'a whole response whose client has disconnected',
  // The stage names no countries to send to, so the number is refused (400) before the page is (403).
  'POST /api/messages returns 403',
];

/** Against the deployed platform: the end-to-end tests of test/deploy, and API tests that also run against one machine. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/deploy/**/*.deploy.ts',
      'test/api/{accounts/accounts,keys/keys,inference/chat}.test.ts',
      'test/api/{passwords,subscriptions,refusals,openai}/*.test.ts',
    ],
    testNamePattern: new RegExp(`^(?!.*(${onlyOnOneMachine.join('|')})).*$`),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
});
