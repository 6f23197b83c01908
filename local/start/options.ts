import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { CorsOrigins } from '#contract/http/cors.ts';
import { Problem, errorSentence } from '../shared/problems.ts';

/** Options of `npm start` (docs/architecture.md#on-one-machine). */
export interface LocalOptions {
  readonly port: number;
  readonly data: string;
  readonly modelUrl?: string;
  readonly modelName?: string;
  readonly audioUrl?: string;
  /** Path of an offer file. */
  readonly offer?: string;
  readonly canary: boolean;
  /** Takes payments by the stand-in for Stripe. */
  readonly payments: 'none' | 'stripe';
  /** Origins whose pages may call the API with keys. */
  readonly corsOrigins: CorsOrigins;
}

export const usage = `Usage: npm start -- [options]

  --port PORT        port to serve on, loopback only (8787)
  --data DIR         folder for all stored data (.local)
  --model-url URL    an OpenAI-compatible server to call instead of the demo engine, e.g. http://127.0.0.1:11434/v1
  --model-name NAME  the model to call there
  --audio-url URL    an OpenAI-compatible audio server to call instead of the demo engine, e.g. http://127.0.0.1:8000/v1
  --offer FILE       models, plans, prices and name of the service (docs/offer.md)
  --payments stripe  accept payments, by a stand-in for Stripe with its own payment page (docs/payments.md)
  --cors-origins LIST
                     pages that may call the API with keys: origins separated by commas, or * (none)
  --canary           also run the canary, every five minutes; its failures are logged
  --help             this text
`;

const usageExitCode = 2;

/** Returns 'help' for --help. Throws a Problem with exit code 2 for an unknown option. */
export function parseOptions(args: readonly string[]): LocalOptions | 'help' {
  const flags = read(args);
  if (flags.help) return 'help';
  if (flags['model-name'] !== undefined && flags['model-url'] === undefined)
    throw new Problem('--model-name needs --model-url, because the demo engine has no other models.', usageExitCode);
  return {
    port: port(flags.port),
    data: nonEmpty('--data', flags.data),
    canary: flags.canary,
    payments: payments(flags.payments),
    corsOrigins: corsOrigins(flags['cors-origins']),
    ...(flags['model-url'] !== undefined && { modelUrl: httpUrl('--model-url', flags['model-url']) }),
    ...(flags['audio-url'] !== undefined && { audioUrl: httpUrl('--audio-url', flags['audio-url']) }),
    ...(flags.offer !== undefined && { offer: nonEmpty('--offer', flags.offer) }),
    ...(flags['model-name'] !== undefined && { modelName: nonEmpty('--model-name', flags['model-name']) }),
  };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        port: { type: 'string', default: '8787' },
        data: { type: 'string', default: '.local' },
        'model-url': { type: 'string' },
        'model-name': { type: 'string' },
        'audio-url': { type: 'string' },
        offer: { type: 'string' },
        payments: { type: 'string', default: 'none' },
        'cors-origins': { type: 'string', default: '' },
        canary: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : errorSentence(error);
    throw new Problem(`${reason}. Run npm start -- --help to see the options.`, usageExitCode);
  }
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 65_535) return value;
  throw new Problem(`--port must be a number from 0 to 65535, and "${text}" is not.`, usageExitCode);
}

function httpUrl(flag: string, text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return text;
  throw new Problem(`${flag} must be an http:// or https:// address, and "${text}" is not.`, usageExitCode);
}

function payments(text: string): 'none' | 'stripe' {
  if (text === 'none' || text === 'stripe') return text;
  throw new Problem(`--payments must be none or stripe, and "${text}" is neither.`, usageExitCode);
}

function corsOrigins(text: string): CorsOrigins {
  const origins = text === '*' ? text : text.split(',').filter(Boolean);
  const parsed = v.safeParse(CorsOrigins, origins);
  if (parsed.success) return parsed.output;
  throw new Problem(`--cors-origins ${parsed.issues[0].message}, and "${text}" is not.`, usageExitCode);
}

function nonEmpty(flag: string, text: string): string {
  if (text.trim() !== '') return text;
  throw new Problem(`${flag} must not be empty.`, usageExitCode);
}
