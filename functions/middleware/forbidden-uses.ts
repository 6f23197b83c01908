import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { forbiddenToKey, forbiddenUse, type Use } from '#domain/meter/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { UsedModel } from '#domain/shared/idempotency.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Caller } from './call.ts';

export type FindMeter = (accountId: number) => Promise<Meter | undefined>;

interface UseLookups {
  /** Reads the meter if the proof did not, such as for a session. */
  readonly findMeter: FindMeter;
  readonly modelOf: ((call: Call) => Promise<string | undefined>) | undefined;
}

export type ForbiddenUses = ReturnType<typeof forbiddenUses>;

/** Predicts the 403 refusals of the admission for steps that precede it. */
export function forbiddenUses({ priced }: Route, { findMeter, modelOf }: UseLookups) {
  const nameModel = (call: Call): Promise<string | undefined> | string | undefined =>
    call.order?.model ?? ('namedModel' in call ? call.namedModel : modelOf?.(call));

  async function byKey(call: Call): Promise<ServiceError | undefined> {
    const { caller, meter } = call.identity ?? {};
    const key = meter?.keys.get(keyIdOf(caller) ?? '');
    if (!priced || !meter || !(key?.models || key?.services)) return undefined;
    const model = key.models && (await nameModel(call));
    return forbiddenToKey(meter, useOf(priced, call, model));
  }

  async function byPlanOrKey(call: Call): Promise<ServiceError | undefined> {
    const { identity } = call;
    if (!priced || !identity) return undefined;
    const read = identity.meter ?? findMeter(identity.caller.accountId);
    const [meter, model] = await Promise.all([read, nameModel(call)]);
    return meter && forbiddenUse(meter, useOf(priced, call, model));
  }

  function byKeyOfUsed(call: Call, { service, model }: UsedModel): ServiceError | undefined {
    const meter = call.identity?.meter;
    if (!priced || !meter) return undefined;
    return forbiddenToKey(meter, { ...useOf(priced, call, model), service });
  }

  return { byKey, byKeyForReplay: byKeyOfUsed, byPlanOrKey };
}

const keyIdOf = (caller: Caller | undefined): string | undefined => (caller?.kind === 'key' ? caller.keyId : undefined);

/** Returns the key, service, model and minimum plan that the admission of a call checks. */
export function useOf(
  priced: NonNullable<Route['priced']>,
  { identity, order }: Pick<Call, 'identity' | 'order'>,
  model: string | undefined,
): Use {
  const { capability } = priced;
  const ofModel = capability && model !== undefined ? findModel(model, capability)?.minPlanRank : undefined;
  return {
    keyId: keyIdOf(identity?.caller),
    service: order?.service ?? priced.service,
    model,
    minPlanRank: priced.minPlanRank ?? ofModel ?? 1,
  };
}
