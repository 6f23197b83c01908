import * as v from 'valibot';
import type { World } from '../world.ts';
import { invalidRequest } from './errors.ts';
import { expand, type Form, page, parseParams } from './params.ts';

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

interface Json {
  [key: string]: unknown;
}

/** Fields that an object has only when they are expanded, by `object` and field. */
export type HiddenFields = Readonly<Record<string, Readonly<Record<string, (id: string) => unknown>>>>;

export interface Expansion {
  /** An object of any kind by its id. */
  readonly findAny: (id: string) => object | undefined;
  readonly hidden: HiddenFields;
}

const maxDepth = 4;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy of the object in which the fields that `paths` name, such as `payments.data.payment`, are objects. */
export function expanded(object: unknown, paths: readonly string[], expansion: Expansion): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(object));
  for (const path of paths) {
    const fields = path.split('.');
    if (fields.length > maxDepth && fields.filter((field) => field !== 'data').length > maxDepth)
      throw invalidRequest(`You cannot expand more than ${maxDepth} levels of a property.`, { param: 'expand' });
    expandField(copy, fields, path, expansion);
  }
  return copy;
}

function expandField(value: unknown, fields: readonly string[], path: string, expansion: Expansion): void {
  const [field, ...rest] = fields;
  if (field === undefined || value === null || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) expandField(item, fields, path, expansion);
    return;
  }
  if (!isJson(value)) throw cannotExpand(path);
  const hidden = expansion.hidden[String(value['object'])]?.[field];
  if (hidden && value[field] === undefined) value[field] = copyOf(hidden(String(value['id'])));
  const current = value[field];
  if (current === undefined) throw cannotExpand(path);
  if (typeof current === 'string') {
    const target = expansion.findAny(current);
    if (!target) throw cannotExpand(path);
    value[field] = copyOf(target);
  }
  expandField(value[field], rest, path, expansion);
}

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const cannotExpand = (path: string) =>
  invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });

interface Page {
  readonly limit: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

/** A page of a list, newest first. `items`: oldest first. */
function listOf<T extends { readonly id: string }>(
  items: readonly T[],
  path: string,
  { limit, starting_after: after, ending_before: before }: Page,
) {
  const newest = items.toReversed();
  if (before !== undefined) {
    const rest = newest.slice(0, position(newest, before, 'ending_before'));
    return { object: 'list' as const, data: rest.slice(-limit), has_more: rest.length > limit, url: path };
  }
  const rest = after === undefined ? newest : newest.slice(position(newest, after, 'starting_after') + 1);
  return { object: 'list' as const, data: rest.slice(0, limit), has_more: rest.length > limit, url: path };
}

function position(items: readonly { readonly id: string }[], id: string, param: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index === -1) throw invalidRequest(`No such object: '${id}'`, { code: 'resource_missing', param });
  return index;
}
