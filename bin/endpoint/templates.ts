import { prices, type ServiceName } from '#contract/billing/prices.ts';
import { firstModelFor } from '#contract/inference/models.ts';

export interface EndpointNames {
  /** File name and operation id, such as `sum-up`. */
  readonly id: string;
  /** Key of the route, such as `sumUp`. */
  readonly camel: string;
  /** Prefix of the schemas, such as `SumUp`. */
  readonly pascal: string;
  /** Such as `Sum up`. */
  readonly sentence: string;
}

export function namesOf(id: string): EndpointNames | undefined {
  if (!/^[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*$/.test(id)) return undefined;
  const camel = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { id, camel, pascal: capitalised(camel), sentence: capitalised(id.replaceAll('-', ' ')) };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Services priced per request or per started unit. Services metered by tokens have their own kinds of order. */
export type EndpointService = Exclude<ServiceName, 'chat' | 'completion' | 'embeddings' | 'transcription'>;

export const schemas = ({ id, pascal }: EndpointNames): string => `import * as v from 'valibot';
import { nonEmpty } from './inference-fields.ts';

/** Body of POST /api/ai/${id}. */
export const ${pascal}Request = v.object({ text: nonEmpty }, 'must be a JSON object');

export const ${pascal}Result = v.object({ text: v.string() });
`;

export const schemaImport = ({ id, pascal }: EndpointNames): string =>
  `import { ${pascal}Request, ${pascal}Result } from '../inference/${id}.ts';\n`;

export const row = (
  { id, camel, pascal, sentence }: EndpointNames,
  service: EndpointService,
): string => `  ${camel}: defineRoute({
    id: '${id}',
    method: 'POST',
    path: '/api/ai/${id}',
    summary: '${sentence}',
    credential: 'session or key',
    access: 'develop',
    confirmed: true,
    bodyInput: ${pascal}Request,
    output: ${pascal}Result,
    priced: { service: '${service}', capability: 'chat' },
    idempotent: true,
    uses: { tables: { accounts: 'write', meters: 'write', idempotency: 'delete' }, inference: true },
  }),
`;

export const sample = ({ id }: EndpointNames): string => `  '${id}': { body: { text: 'Good morning, friend.' } },\n`;

export const call = ({ camel }: EndpointNames): string => `  await send('${camel}', { key });\n`;

export const operationImport = "import { pricePerStarted } from '#domain/meter/pricing.ts';\n";

export const operation = ({ id, camel, pascal }: EndpointNames, service: EndpointService): string => `
export const ${camel}: PricedOperation<typeof inferenceRoutes.${camel}, ${pascal}Order> = {
  order: async (_services, { text }) => ({
    model: '${firstModelFor('chat')}',
    amount: pricePerStarted('${service}', 1),
    text,
  }),
  run: () => Promise.reject(new Error('${id} is not written yet')),
};

/** An order that is ready to be admitted. \`amount\` is its maximum cost in microcredits. */
interface ${pascal}Order {
  readonly model: string;
  readonly amount: number;
  readonly text: string;
}
`;

export const test = (
  { id }: EndpointNames,
  service: EndpointService,
): string => `import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samples } from '#contract/samples.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('POST /api/ai/${id}', () => {
  it('returns its result and charges its price', async () => {
    const { key } = await service.person();
    const { status, headers, body } = await service.call('POST', '/api/ai/${id}', { key, ...samples['${id}'] });
    expect([status, body.message]).toEqual([200, 'SUCCESS']);
    expect(headers.get('x-credits-charged')).toBe('${prices[service].credits}');
  });
});
`;
