import { readFileSync } from 'node:fs';
import type { Schema } from './json-schema.ts';

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { value: unknown }>>;
}

interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly headers?: Readonly<Record<string, Reference>>;
  /** Empty for HEAD. */
  readonly content: Readonly<Record<string, Content>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: string;
}

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly mediaTypes: readonly string[];
  readonly body: (Content & { readonly required: boolean }) | undefined;
  readonly responses: ReadonlyMap<number, Response>;
}

/** The operations of an API document, and a function that resolves references within it. Other values stay. */
export function readDocument(document: any) {
  function resolve<T extends object>(value: T | Reference): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
    const parts = value.$ref.replace('#/', '').split('/');
    return parts.reduce((inner, part) => inner[part], document);
  }

  const operations = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]): Operation => {
      const contents: Readonly<Record<string, Content>> = operation.requestBody?.content ?? {};
      const content = contents['application/json'];
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        operationId: operation.operationId,
        security: operation.security,
        parameters: (operation.parameters ?? []).map(resolve),
        mediaTypes: Object.keys(contents),
        body: content && { ...content, required: operation.requestBody.required },
        responses: new Map(
          Object.entries<any>(operation.responses).map(([status, response]) => [
            Number(status),
            { content: {}, ...resolve(response) },
          ]),
        ),
      };
    }),
  );
  return { operations, resolve };
}

const file = new URL('../../../docs/openapi.json', import.meta.url);
export const { operations, resolve } = readDocument(JSON.parse(readFileSync(file, 'utf8')));

export const shownBodies = ({ body }: Operation): unknown[] =>
  body?.examples ? Object.values(body.examples).map(({ value }) => value) : body ? [body.example] : [];
