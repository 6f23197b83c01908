import * as v from 'valibot';
import type { World } from '../world.ts';
import { listOf } from './expand.ts';
import type { Form } from './form.ts';
import { expand, page, parseParams } from './params.ts';

export interface Call {
  readonly world: World;
  /** Parts of the path that the route names in braces, in order. */
  readonly ids: readonly string[];
  readonly form: Form;
  readonly path: string;
}

export interface Reply {
  readonly body: unknown;
  readonly expand: readonly string[];
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** For example `/v1/invoices/{id}/pay`. */
  readonly path: string;
  readonly run: (call: Call) => Reply;
}

/** Arguments of an operation: its valid parameters and the first id of the path. */
export interface Input<Params> {
  readonly world: World;
  readonly params: Params;
  readonly id: string;
  readonly path: string;
}

/** A route whose parameters are those of `entries`, and `expand`. */
export function route<Entries extends v.ObjectEntries>(
  method: Route['method'],
  path: string,
  entries: Entries,
  operation: (input: Input<v.InferOutput<v.StrictObjectSchema<Entries, undefined>>>) => unknown,
): Route {
  const schema = v.strictObject(entries);
  return {
    method,
    path,
    run({ world, ids, form, path: requested }) {
      const { expand: paths, ...rest } = form;
      const { expand: names } = parseParams(v.object({ expand }), { ...(paths !== undefined && { expand: paths }) });
      const params = parseParams(schema, rest);
      return { body: operation({ world, params, id: ids[0] ?? '', path: requested }), expand: names };
    },
  };
}

/** A route that lists `items`, oldest first, page by page. */
export function listRoute<Entries extends v.ObjectEntries, Item extends { readonly id: string }>(
  path: string,
  entries: Entries,
  items: (input: Input<v.InferOutput<v.StrictObjectSchema<Entries, undefined>>>) => readonly Item[],
): Route {
  const schema = v.strictObject(entries);
  const pageSchema = v.object(page);
  return {
    method: 'GET',
    path,
    run({ world, ids, form, path: requested }) {
      const { limit, starting_after: after, ending_before: before, expand: paths, ...rest } = form;
      const given = { limit, starting_after: after, ending_before: before, expand: paths };
      const present = Object.entries(given).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value] as const],
      );
      const { expand: names, ...at } = parseParams(pageSchema, Object.fromEntries(present));
      const params = parseParams(schema, rest);
      return {
        body: listOf(items({ world, params, id: ids[0] ?? '', path: requested }), requested, at),
        expand: names,
      };
    },
  };
}
