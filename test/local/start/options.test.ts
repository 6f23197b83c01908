import { describe, expect, test } from 'vitest';
import { Problem } from '#local/shared/problems.ts';
import { parseOptions } from '#local/start/options.ts';

function refusal(...args: string[]): Problem {
  try {
    parseOptions(args);
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error(`${args.join(' ')} was accepted`);
}

describe('npm start', () => {
  test('has the documented defaults without flags', () => {
    expect(parseOptions([])).toEqual({ port: 8787, data: '.local', canary: false, payments: 'none', corsOrigins: [] });
  });

  test('passes each flag on under its name', () => {
    const model = ['--model-url', 'http://127.0.0.1:11434/v1', '--model-name', 'llama3'];
    const args = [
      '--port',
      '9000',
      '--data=/x',
      ...model,
      '--canary',
      '--payments',
      'stripe',
      '--cors-origins',
      'https://a.example,http://localhost:3000',
    ];
    expect(parseOptions(args)).toEqual({
      port: 9000,
      data: '/x',
      modelUrl: 'http://127.0.0.1:11434/v1',
      modelName: 'llama3',
      canary: true,
      payments: 'stripe',
      corsOrigins: ['https://a.example', 'http://localhost:3000'],
    });
    expect(parseOptions(['--cors-origins', '*'])).toMatchObject({ corsOrigins: '*' });
    expect(parseOptions(['--port', '9000', '--help'])).toBe('help');
  });

  test.each([
    [['--porto', '1'], "'--porto'"],
    [['start'], "'start'"],
    [['--port'], "'--port <value>' argument missing"],
    [['--port', 'abc'], '"abc"'],
    [['--port', '65536'], '0 to 65535'],
    [['--port=-1'], '0 to 65535'],
    [['--port', '80.5'], '0 to 65535'],
    [['--data', ' '], '--data must not be empty'],
    [['--model-url', 'localhost:11434'], '"localhost:11434"'],
    [['--model-url', 'ftp://x/'], 'http:// or https://'],
    [['--model-name', 'llama3'], '--model-name needs --model-url'],
    [['--payments', 'paypal'], '"paypal"'],
    [['--cors-origins', 'a.example'], '"a.example"'],
    [['--cors-origins', 'https://a.example/'], 'such as https://app.example.com'],
    [['--cors-origins', 'https://a.example,*'], '--cors-origins must be an origin'],
    [
      ['--cors-origins', Array.from({ length: 21 }, (_, index) => `https://a${index}.example`).join()],
      'at most 20 origins',
    ],
  ])('refuses %j in one sentence, with exit code 2', (args, words) => {
    const problem = refusal(...args);
    expect(problem.exitCode).toBe(2);
    expect(problem.message).toContain(words);
    expect(problem.message).not.toContain('\n');
  });
});
