import * as v from 'valibot';
import { type Model, modelNamed, models, phaseOf } from '#contract/inference/models.ts';
import { retired } from '#domain/inference/model-catalog.ts';
import type { Call, Middleware } from './call.ts';
import type { ForbiddenUses } from './forbidden-uses.ts';

const isDated = models.some(({ deprecatedFrom, retiredFrom }) => deprecatedFrom !== null || retiredFrom !== null);

const Named = v.object({ model: v.string() });

/** The model that the caller named in the body or path, or through an agent. */
function namedModel({ input: { body, path }, namedModel: ofAgent }: Call): Model | undefined {
  const name = [body, path].find((part) => v.is(Named, part))?.model ?? ofAgent;
  return name === undefined ? undefined : modelNamed(name);
}

/** Refuses (404) a retired model, after a forbidden one (403). Replays of earlier responses continue. */
export function refuseRetiredModel(forbidden: ForbiddenUses): Middleware {
  return {
    before: async function refuseRetired({ context: { call } }) {
      if (!isDated || !call.order || call.idempotency?.replay) return;
      const model = namedModel(call);
      if (!model || phaseOf(model) !== 'retired') return;
      await call.identity?.prove?.();
      throw (await forbidden.byPlanOrKey(call)) ?? retired(model);
    },
  };
}

/** Headers of a call that names a deprecated or retired model (RFC 9745, RFC 8594). */
export function modelDateHeaders(call: Call): Record<string, string> {
  const model = isDated ? namedModel(call) : undefined;
  if (!model) return {};
  const { deprecatedFrom, retiredFrom } = model;
  const phase = phaseOf(model);
  if (deprecatedFrom === null || phase === 'upcoming' || phase === 'available') return {};
  return {
    deprecation: `@${Date.parse(deprecatedFrom) / 1000}`,
    ...(retiredFrom !== null && { sunset: new Date(retiredFrom).toUTCString() }),
  };
}
