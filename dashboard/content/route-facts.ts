import * as v from 'valibot';
import type { Plugin } from 'vite';

/** What the page reads of a route. Schemas of requests serve only as types. */
const kept: ReadonlySet<string | undefined> = new Set(['id', 'method', 'path', 'credential', 'output']);

/** A call `defineRoute({ … })` in the syntax tree. A spread has no key. */
const Declaration = v.object({
  type: v.literal('CallExpression'),
  callee: v.object({ name: v.literal('defineRoute') }),
  arguments: v.tuple([
    v.object({
      properties: v.array(
        v.object({
          type: v.string(),
          start: v.number(),
          end: v.number(),
          key: v.optional(v.object({ name: v.optional(v.string()) })),
        }),
      ),
    }),
  ]),
});
type Declaration = v.InferOutput<typeof Declaration>;

/** Removes from route declarations what only the service reads, and so the schemas that nothing else uses. */
export function routeFacts(): Plugin {
  return {
    name: 'route-facts',
    apply: 'build',
    transform(code, id) {
      if (!/\/functions\/contract\/routes\/[\w-]+\.ts$/.test(id)) return undefined;
      const dropped = declarationsIn(this.parse(code)).flatMap(({ arguments: [{ properties }] }) =>
        properties.filter(({ type, key }) => type === 'Property' && !kept.has(key?.name)),
      );
      const text = dropped.reduceRight((rest, { start, end }) => {
        const comma = /^\s*,/.exec(rest.slice(end))?.[0].length ?? 0;
        return rest.slice(0, start) + rest.slice(end + comma);
      }, code);
      return { code: text, map: null, moduleSideEffects: false };
    },
  };
}

/** The declarations below a node, in their order. */
function declarationsIn(node: unknown): Declaration[] {
  if (typeof node !== 'object' || node === null) return [];
  if (v.is(Declaration, node)) return [node];
  return Object.values(node).flatMap(declarationsIn);
}
