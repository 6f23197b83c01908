import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { services } from '#runtime/services/container.ts';
import type { Person, TestService } from '../service/service.ts';
import { arbitraryOf } from './arbitraries.ts';
import { type Operation, type Parameter, resolve, shownBodies } from './openapi.ts';
import type { RawResponse } from './response-check.ts';

/** A request of the fuzzer. Headers are alternating names and values, as on the wire. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

export const json = ['content-type', 'application/json'];

/** Sends fuzzed requests to a running service, as an authorized user. */
export async function fuzzTarget(service: TestService) {
  const agent = new Agent({ keepAlive: true });
  const [customer, operator, victim] = [
    await service.person({ planRank: 5 }),
    await service.person(),
    await service.person(),
  ];
  await (await services().operators()).actions().setRole(operator.email, 'operator');
  const people = new Map<string, Person>();

  /** The caller of an operation. Each operation with a session has its own, because some change the session. */
  async function personFor({ operationId, path, security }: Operation): Promise<Person> {
    if (path.startsWith('/api/operator/')) return operator;
    if (security.some((scheme) => 'apiKey' in scheme)) return customer;
    const person = people.get(operationId) ?? (await service.person());
    people.set(operationId, person);
    return person;
  }

  /** Headers that authorize the caller of the operation. */
  async function credentialFor(operation: Operation): Promise<string[]> {
    const [scheme] = operation.security;
    if (!scheme) return [];
    const person = await personFor(operation);
    return 'apiKey' in scheme ? ['authorization', `Bearer ${person.key}`] : ['cookie', person.cookie];
  }

  function fire({ method, path, headers = [], body }: Shot): Promise<RawResponse> {
    const { promise, resolve: done, reject } = Promise.withResolvers<RawResponse>();
    const { hostname, port } = new URL(service.origin);
    const host = ['host', `${hostname}:${port}`];
    const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    const sent = request(
      { agent, hostname, port, method, path, headers: [...host, ...length, ...headers] },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        reply.on('end', () =>
          done({ status: reply.statusCode!, headers: reply.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on('error', reject).end(body);
    return promise;
  }

  /** Addresses of an operation with documented or existing parameters. */
  function addressOf({ path, parameters }: Operation): fc.Arbitrary<string> {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const values = (list: readonly Parameter[]) =>
      fc.record(Object.fromEntries(list.map((parameter) => [parameter.name, valueOf(parameter, path)])), {
        requiredKeys: list.filter(({ required }) => required).map(({ name }) => name),
      });
    return fc.tuple(values(inPath), values(inQuery)).map(([filled, query]) => {
      const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(filled[name]!));
      const search = String(new URLSearchParams(query));
      return search ? `${filledPath}?${search}` : filledPath;
    });
  }

  function valueOf({ name, in: place, schema, example }: Parameter, path: string): fc.Arbitrary<string> {
    const real = path.startsWith('/api/operator/')
      ? name === 'id'
        ? String(victim.id)
        : victim.keyId
      : customer.keyId;
    const likely = [...(place === 'path' ? [real] : []), ...(example ? [example] : [])];
    // A segment of dots, or of characters that URLs drop, would change the path.
    const made = (arbitraryOf(schema, resolve) as fc.Arbitrary<string>).filter((text) => /[^.]/.test(text));
    return likely.length > 0 ? fc.oneof(made, fc.constantFrom(...likely)) : made;
  }

  /** Documented bodies, including the examples; undefined for operations without a body. */
  function bodyOf(operation: Operation): fc.Arbitrary<unknown> {
    if (!operation.body) return fc.constant(undefined);
    const shown = shownBodies(operation);
    return fc.oneof(arbitraryOf(operation.body.schema, resolve), fc.constantFrom(...shown));
  }

  /** A complete request with that body, encoded as JSON unless it is text or bytes. */
  async function shotOf(operation: Operation, path: string, body: unknown): Promise<Shot> {
    const headers = await credentialFor(operation);
    if (body === undefined) return { method: operation.method, path, headers };
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    return { method: operation.method, path, headers: [...headers, ...json], body: text };
  }

  return { fire, key: customer.key, addressOf, bodyOf, shotOf, close: () => agent.destroy() };
}
