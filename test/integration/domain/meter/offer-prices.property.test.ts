import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import { readOffer } from '#contract/offer/offer-file.ts';
import { balance, heldCredits } from '#domain/meter/meter.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { atLength, patience, seed, times } from '#test/many.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import {
  changeDay,
  type Draw,
  type DrawnOffer,
  drawInputReport,
  drawOffer,
  drawReport,
  priceFor,
  priceOn,
} from '#test/meter/drawn-offer.ts';
import {
  chargeByHand,
  type Held,
  holdByHand,
  type Outcome,
  type Price,
  type Request,
} from '#test/meter/price-model.ts';
import { type Answer, forgetOffer, type PricedService, pricedService } from '#test/meter/priced-service.ts';

const database = useTestDatabase();
afterAll(forgetOffer);

const midnight = Date.parse(changeDay) / 1000;
const max = BigInt(Number.MAX_SAFE_INTEGER);

interface DrawnCall {
  readonly model: DrawnOffer['models'][number];
  readonly request: Request;
  readonly isStream: boolean;
  readonly body: object;
}

/** Letters z, each a token, and letters a, which are bytes without tokens. */
const text = (g: Draw, most: number): string =>
  'z'.repeat(g(fc.nat, most)) + 'a'.repeat(g(fc.integer, { min: 1, max: most }));
const tokensIn = (of: string): number => of.length - of.replaceAll('z', '').length;

function drawCall(g: Draw, { models }: DrawnOffer): DrawnCall {
  const model = g(fc.constantFrom, ...models);
  const kind = g(fc.constantFrom, 'chat', 'chat', 'completion', 'completion', 'embeddings');
  const given = g(fc.boolean) ? g(fc.integer, { min: 1, max: Math.min(model.maxOutput, 2000) }) : undefined;
  const isStream = kind !== 'embeddings' && g(fc.boolean);
  const body = {
    model: model.id,
    ...(given !== undefined && { max_tokens: given }),
    ...(isStream && { stream: true }),
  };
  if (kind === 'embeddings') {
    const input = times(g(fc.integer, { min: 1, max: 3 }), () => text(g, 300));
    const bytes = input.join('').length;
    const counted = tokensIn(input.join(''));
    const maxReported = bytes + 8 * input.length;
    const request = { kind, bytes, tokens: counted, counted, maxReported, output: 0, hasMaxTokens: false } as const;
    return { model, request, isStream, body: { model: model.id, input } };
  }
  const prompt = text(g, 700);
  const counted = tokensIn(prompt);
  const hasMaxTokens = given !== undefined;
  if (kind === 'completion') {
    const output = given ?? Math.min(100, model.maxOutput);
    const bytes = prompt.length;
    const request = { kind, bytes, tokens: counted, counted, maxReported: bytes + 8, output, hasMaxTokens } as const;
    return { model, request, isStream, body: { ...body, prompt } };
  }
  // A chat template may add four tokens to a message and three to a request.
  const output = given ?? Math.min(1024, model.maxOutput);
  const limits = { bytes: prompt.length + 7, tokens: counted + 7, maxReported: model.window };
  const request = { kind, ...limits, counted, output, hasMaxTokens } as const;
  return { model, request, isStream, body: { ...body, messages: [{ role: 'user', content: prompt }] } };
}

/** A balance near the price of some of the calls, or of any size. */
function drawBalance(g: Draw, offer: DrawnOffer, calls: readonly DrawnCall[]): bigint {
  const near = calls.slice(0, g(fc.nat, calls.length)).map(({ model, request }) => {
    const price = priceFor(offer, priceOn(model, g(fc.boolean)), request.kind);
    const bounds = g(fc.boolean) ? request : { ...request, bytes: request.tokens };
    return holdByHand(price, bounds, max * max)?.amount ?? 0n;
  });
  const last = near.pop() ?? 0n;
  const part = g(fc.boolean) ? last : g(fc.bigInt, { min: 0n, max: last });
  const sum = near.reduce((total, amount) => total + amount, part) + g(fc.constantFrom, -1n, 0n, 1n);
  const any = g(fc.bigInt, { min: 0n, max: g(fc.constantFrom, 1_000_000n, 10n ** 10n, max / 2n) });
  const drawn = g(fc.nat, 2) > 0 ? sum : any;
  return drawn < max / 2n ? drawn : max / 2n;
}

interface Ending {
  readonly answer: Answer;
  readonly reads: number | undefined;
  readonly outcome: Outcome;
}

/** A model's response, the pieces that the client reads before it disconnects, and the delivered part. */
function drawEnding(g: Draw, { request, isStream }: DrawnCall, { output }: Held): Ending {
  const { kind, maxReported } = request;
  const isTooLong = g(fc.nat, 9) === 0;
  const most = isTooLong ? output + 40 : Math.min(output, 60);
  const pieces = times(g(fc.nat, 4), () => 'z'.repeat(g(fc.nat, Math.min(most, 300))) + 'a');
  const isEmbedded = kind === 'embeddings';
  const { raw, tokens } = isEmbedded ? drawInputReport(g, maxReported) : drawReport(g, maxReported, output);
  const [fails, leaves] = [g(fc.nat, 5) === 0, g(fc.nat, 4) === 0];
  const tokensOf = (texts: readonly string[]) => tokensIn(texts.join(''));
  if (!isStream) {
    const answer = { pieces, usage: raw, failsAfter: fails ? 0 : undefined };
    const hasText = isEmbedded || pieces.length > 0;
    const whole = { hasText, delivered: isEmbedded ? 0 : tokensOf(pieces), isWhole: true, reports: [tokens] };
    const none = { hasText: false, delivered: 0, isWhole: false, reports: [] };
    return { answer, reads: undefined, outcome: fails ? none : whole };
  }
  const running = kind === 'completion' && g(fc.boolean) ? drawReport(g, maxReported, output) : undefined;
  const input = running?.tokens?.input ?? 0;
  const soFar = (count: number) => ({ input, cached: 0, written: 0, output: count });
  const usages = running && pieces.map((_, index) => ({ prompt_tokens: input, completion_tokens: index + 1 }));
  const failsAfter = fails ? g(fc.nat, pieces.length) : undefined;
  // The last piece is followed by the end of the stream.
  const reads = leaves ? g(fc.nat, pieces.length) : undefined;
  const read = Math.min(failsAfter ?? Infinity, reads ?? Infinity, pieces.length);
  const isWhole = failsAfter === undefined && reads === undefined;
  const counts = running && read > 0 ? [soFar(Math.min(read, output))] : [];
  const delivered = { hasText: read > 0, delivered: tokensOf(pieces.slice(0, read)), isWhole };
  const answer = { pieces, usage: raw, failsAfter, ...(usages && { running: usages }) };
  return { answer, reads, outcome: { ...delivered, reports: isWhole ? [tokens, ...counts] : counts } };
}

interface OpenCall {
  readonly call: DrawnCall;
  readonly price: Price;
  readonly held: Held;
  readonly running: Awaited<ReturnType<PricedService['admit']>>;
}

/** Credits of an account by hand, in microcredits. */
interface Account {
  spendable: bigint;
  readonly charges: Map<string, bigint>;
  readonly open: OpenCall[];
}

async function compare({ account }: PricedService, { spendable, open }: Account): Promise<void> {
  const meter = await account.current();
  expect(meter.spendable).toBeGreaterThanOrEqual(0);
  expect(BigInt(meter.spendable)).toBe(spendable);
  expect(BigInt(heldCredits(meter))).toBe(open.reduce((sum, { held }) => sum + held.amount, 0n));
}

/** Describes a call in the report of a failure. */
const textOf = (of: object): string =>
  JSON.stringify(of, (_, value) => (typeof value === 'bigint' || Number.isNaN(value) ? `${value}` : value));

async function openCall(real: PricedService, offer: DrawnOffer, account: Account, call: DrawnCall): Promise<void> {
  const price = priceFor(offer, priceOn(call.model, real.account.clock.seconds >= midnight), call.request.kind);
  const held = holdByHand(price, call.request, account.spendable);
  const running = await real.admit(call.request.kind, call.body).catch((error: { code?: string }) => {
    if (error.code !== 'INSUFFICIENT_CREDITS') throw error;
    return undefined;
  });
  const about = textOf({ request: call.request, price, spendable: account.spendable });
  expect({ about, held: running && BigInt(running.held) }).toEqual({ about, held: held?.amount });
  if (!running || !held) return;
  account.spendable -= held.amount;
  account.open.push({ call, price, held, running });
}

async function endCall(g: Draw, real: PricedService, account: Account): Promise<void> {
  const [ended] = account.open.splice(g(fc.nat, account.open.length - 1), 1);
  const { call, price, held, running } = ended!;
  const { answer, reads, outcome } = drawEnding(g, call, held);
  const cost = chargeByHand(price, call.request, held, outcome);
  const about = textOf({ request: call.request, price, held, answer, reads, outcome });
  expect({ about, charge: BigInt(await running.finish(answer, reads)) }).toEqual({ about, charge: cost });
  if (call.request.kind !== 'embeddings') expect(real.model.request?.['max_tokens' as never]).toBe(held.output);
  account.charges.set(running.requestId, cost);
  account.spendable += held.amount - cost;
}

function offerOf({ file }: Pick<DrawnOffer, 'file'>): unknown {
  const read = readOffer(JSON.parse(JSON.stringify(file)), {
    defaults: defaultOffer,
    isLocal: false,
    today: changeDay,
    readLogo: () => undefined,
  });
  if (Array.isArray(read)) throw new Error(`the offer has faults: ${JSON.stringify(read)}`);
  return read;
}

async function compareLedger({ account }: PricedService, { charges, spendable }: Account): Promise<void> {
  const meter = await account.current();
  await account.project();
  const rows = await account.rows(meter.seq);
  expect(auditLedger(rows, meter.seq, balance(meter))).toEqual([]);
  expect(rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(spendable);
  const charged = rows.filter(({ type }) => type === 'charge');
  expect(new Map(charged.map(({ requestId, amount }) => [requestId, -BigInt(amount)]))).toEqual(charges);
  expect(charged).toHaveLength(charges.size);
}

describe(`random calls at the prices of a random offer (SEED=${seed})`, () => {
  it(
    'cost their manually computed price, at most their hold, and the ledger adds up to a balance that is never negative',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.gen(), async (g) => {
          const offer = drawOffer(g);
          const real = await pricedService(offerOf(offer), database.url, midnight - g(fc.nat, 60));
          try {
            const calls = times(g(fc.integer, { min: 1, max: 8 }), () => drawCall(g, offer));
            const account: Account = { spendable: offer.grant, charges: new Map(), open: [] };
            const missing = drawBalance(g, offer, calls) - offer.grant;
            if (missing > 0n) {
              await real.topUp(Number(missing));
              account.spendable += missing;
            }
            await compare(real, account);
            for (const call of calls) {
              real.account.clock.seconds += g(fc.nat, 10);
              await openCall(real, offer, account, call);
              while (account.open.length > 0 && g(fc.boolean)) await endCall(g, real, account);
              await compare(real, account);
            }
            while (account.open.length > 0 && g(fc.nat, 9) > 0) {
              await endCall(g, real, account);
              await compare(real, account);
            }
            // The others have crashed, and cost nothing once their holds expire.
            real.account.clock.seconds += 400;
            for (const { held, running } of account.open.splice(0)) {
              account.charges.set(running.requestId, 0n);
              account.spendable += held.amount;
            }
            await compare(real, account);
            await compareLedger(real, account);
            expect(real.lost).toEqual([]);
          } finally {
            await real.account.close();
          }
        }),
        { seed, endOnFailure: true, numRuns: atLength(20, 2000) },
      );
    },
    patience,
  );
});

/** A service with one model for completions. */
function briefModel(price: object): Promise<PricedService> {
  const model = { id: 'brief', capabilities: ['completion'], contextWindow: 4096, maxOutputTokens: 60, price };
  const endpoints = [{ kind: 'openai', url: 'https://models.example/v1', model: 'brief' }];
  return pricedService(offerOf({ file: { version: 1, models: [{ ...model, endpoints }] } }), database.url, midnight);
}

describe('a completion without max_tokens', () => {
  it('requests at most the largest output of its model', async () => {
    const real = await briefModel({ output: 1 });
    const call = await real.admit('completion', { model: 'brief', prompt: 'z' });
    await call.finish({ pieces: ['z'], usage: undefined }, undefined);
    expect(real.model.request).toMatchObject({ max_tokens: 60 });
    expect(call.held).toBe(60);
    await real.account.close();
  });
});

describe('a call whose price exceeds every balance that can be stored', () => {
  it('is refused for lack of credits', async () => {
    const real = await briefModel({ perRequest: '9007199254.740991', output: '0.000001' });
    const call = real.admit('completion', { model: 'brief', prompt: 'z' });
    await expect(call).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    await real.account.close();
  });
});
