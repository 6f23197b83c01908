import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { idempotencyKey as keyRule } from '#contract/http/request.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { canBeIncluded, isDocumentOffered, isSold, type Service } from '#contract/offered-services.ts';
import { organizationHeader } from '#contract/organizations/roles.ts';
import { allRoutes } from '#contract/routes.ts';
import manifest from '../../package.json' with { type: 'json' };
import { errorCollector, errorSchemas } from './errors.ts';
import { headers } from './headers.ts';
import { ofOffer, withOfferedModels } from './offer-examples.ts';
import { type Example, type Examples, operationOf, readExamples } from './operation.ts';
import { schemaCollector } from './schemas.ts';
import { withTables } from './tables.ts';
import { inOrder, tagOf, tags } from './tags.ts';
import { webhooksOf } from './webhooks.ts';

const docs = join(import.meta.dirname, '../../docs');

/** Generated files of docs, by path below it, with the text for the current offer. */
export async function generatedDocs(): Promise<readonly (readonly [path: string, text: string])[]> {
  const document = await documentText((service) => isSold[service]);
  const guides = (await readdir(join(docs, 'guides'))).map((name) => `guides/${name}`);
  const pages = ['webhooks.md', ...guides];
  const texts = withTables(await Promise.all(pages.map((page) => readFile(join(docs, page), 'utf8'))));
  return [['openapi.json', document], ...pages.map((page, index) => [page, texts[index] ?? ''] as const)];
}

const documentText = async (isOffered: (service: Service) => boolean): Promise<string> =>
  `${JSON.stringify(openApiDocument(ofOffer(await readExamples()), isOffered), undefined, 2)}\n`;

/** Writes the docs that the dashboard contains, with the models, tables and API document of the current offer. */
export async function writeDocsOfOffer(folder: string): Promise<void> {
  const credits = ['credits.md', await readFile(join(docs, 'credits.md'), 'utf8')] as const;
  // Accounts that keep a service which is no longer sold see its operations in the dashboard.
  const reference = ['reference.json', await documentText(canBeIncluded)] as const;
  for (const [path, text] of [...(await generatedDocs()), credits, reference]) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, withOfferedModels(text));
  }
}

const description = `Accounts, plans, metered credits and text inference.

Every JSON response is an envelope of \`message\`, \`error\`, \`data\` and \`status\`; errors carry a \`detail\` too. Below
\`/openai/v1\` and \`/anthropic\` responses have no envelope, as the clients of these vendors expect. Errors are checked in a fixed order: 404, 405, 413 and 415,
then 401, 400, 403, 409 and 422, 429, 402. A request that fails is not charged.`;

const { name, links, supportEmail } = offer.product;

const productInfo = {
  title: name,
  ...(links.terms !== undefined && { termsOfService: links.terms }),
  ...(supportEmail !== null && { contact: { name, email: supportEmail } }),
};

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, which begins with `tai_`, created in the dashboard.',
  },
  keyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key, below `/anthropic` only, as Anthropic SDKs send it.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Set by signing in; named `__Host-session` where the service is deployed.',
  },
  sessionBearer: { type: 'http', scheme: 'bearer', description: 'The value of the session cookie, below `/api` only.' },
};

const organization = {
  name: organizationHeader,
  in: 'header',
  required: false,
  description:
    'Id of the organization for which a signed-in user acts; by default the personal one. An API key belongs to one organization and needs no header. One that the caller is not a member of: 404.',
  schema: { type: 'string', pattern: '^[1-9]\\d{0,15}$' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes repeating safe: requests of an account with the same key run once, and the response is replayed for 24 hours. 1 to 255 printable ASCII characters, in quotes or bare, such as `order-17`; a comma or a quote needs the quotes, in which `"` and `\\` come after a `\\`.',
  schema: { type: 'string', minLength: 1, maxLength: 2 * keyRule.maxLength + 2, pattern: keyRule.pattern },
};

/** Placeholder for an operation without an example. `test/docs/openapi.test.ts` fails if one exists. */
const noExample: Example = { status: 200, headers: [], response: undefined };

function openApiDocument(examples: Examples, isOffered: (service: Service) => boolean): object {
  const schemas = schemaCollector();
  const errors = errorCollector();
  const paths = new Map<string, Record<string, object>>();
  const routes = inOrder(allRoutes.filter(({ path }) => isDocumentOffered({ href: '', path }, isOffered)));
  for (const route of routes) {
    const operation = operationOf(route, examples[route.id] ?? noExample, { ...schemas, ...errors });
    paths.set(route.path, { ...paths.get(route.path), [route.method.toLowerCase()]: operation });
  }
  const webhooks = isOffered('webhooks') ? webhooksOf(schemas.schemaOf) : {};
  const names = new Set(routes.map(tagOf));
  return {
    openapi: '3.1.0',
    info: { ...productInfo, version: manifest.version, description },
    servers: [{ url: '/', description: 'The service that this document comes from' }],
    tags: tags.filter(({ name }) => names.has(name)).map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths),
    webhooks,
    components: {
      securitySchemes,
      parameters: { [organizationHeader]: organization, 'Idempotency-Key': idempotencyKey },
      headers,
      schemas: { ...errorSchemas, ...sorted(schemas.components) },
      responses: sorted(errors.responses),
    },
  };
}

const sorted = (entries: ReadonlyMap<string, object>) =>
  Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));
