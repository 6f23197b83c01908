import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Titles of tests that need a service on one machine. Tests that move its clock or inject faults skip themselves. */
const onlyOnOneMachine = [
  // The local AWS cannot stream, decodes paths differently, and ignores a slash at the end of a path.
  'stream',
  'for a path that the gateway cannot read',
  String.raw`GET /\S+/ returns`,
  // A deployed stage uses another cookie name.
  'returns 201 with the user',
  // The local AWS merges repeated headers and does not reject malformed requests.
  'a repeated header ',
  // These read a table by its name, or use the clock of the test machine.
  'changes the name and nothing else',
  'end at their expiry',
  'are limited to 50 active ones',
  // These count the calls of their own model server.
  'an SDK that gives up before the response',
  'a whole response whose client has disconnected',
  // The stage permits no countries, so the number is refused with 400 before the foreign page with 403.
  'POST /api/messages returns 403',
];

/** Against the deployed platform: the end-to-end tests of test/deploy, and API tests that also run against one machine. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/deploy/**/*.deploy.ts',
      'test/api/{accounts/accounts,keys/keys,inference/chat}.test.ts',
      'test/api/{passwords,subscriptions,refusals}/*.test.ts',
      // The others script the model.
      'test/api/openai/{openai,models,sdk,sdk-retries}.test.ts',
    ],
    testNamePattern: new RegExp(`^(?!.*(${onlyOnOneMachine.join('|')})).*$`),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
});
