import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { forbiddenToKey, forbiddenUse, type Use } from '#domain/meter/admission/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { UsedModel } from '#domain/shared/idempotency.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { Call } from '../call.ts';

/** What a priced call uses, as far as it is known; of one without a model its name is empty. */
export function useOf(
  priced: NonNullable<Route['priced']>,
  { caller, order }: Pick<Call, 'caller' | 'order'>,
  model: string | undefined,
): Use {
  const { capability } = priced;
  const ofModel = capability && model !== undefined ? findModel(model, capability)?.minPlanRank : undefined;
  return {
    keyId: caller?.kind === 'key' ? caller.keyId : undefined,
    service: order?.service ?? priced.service,
    model,
    minPlanRank: priced.minPlanRank ?? ofModel ?? 1,
  };
}

export type FindMeter = (accountId: number) => Promise<Meter | undefined>;

interface Findings {
  /** What a proof has not read, as of a session. */
  readonly findMeter: FindMeter;
  /** Of a call whose order is not made yet. */
  readonly modelOf: ((call: Call) => Promise<string | undefined>) | undefined;
}

export type ForbiddenUses = ReturnType<typeof forbiddenUses>;

/** What the admission would refuse (403), for what is decided before it. */
export function forbiddenUses({ priced }: Route, { findMeter, modelOf }: Findings) {
  const nameModel = (call: Call): Promise<string | undefined> | string | undefined =>
    call.order?.model ?? ('namedModel' in call ? call.namedModel : modelOf?.(call));

  /** By what the key is limited to; the key is proved. Of a key without limits nothing is read. */
  async function byKey(call: Call): Promise<ServiceError | undefined> {
    const { caller, provenMeter } = call;
    const key = caller?.kind === 'key' ? provenMeter?.keys.get(caller.keyId) : undefined;
    if (!priced || !provenMeter || !(key?.models || key?.services)) return undefined;
    const model = key.models && (await nameModel(call));
    return forbiddenToKey(provenMeter, useOf(priced, call, model));
  }

  async function byPlanOrKey(call: Call): Promise<ServiceError | undefined> {
    if (!priced || !call.caller) return undefined;
    const [meter, model] = await Promise.all([call.provenMeter ?? findMeter(call.caller.accountId), nameModel(call)]);
    return meter && forbiddenUse(meter, useOf(priced, call, model));
  }

  /** Checks the limits of a verified key for a stored response, by the service and model that produced it. */
  function byKeyOfUsed(call: Call, { service, model }: UsedModel): ServiceError | undefined {
    if (!priced || !call.provenMeter) return undefined;
    return forbiddenToKey(call.provenMeter, { ...useOf(priced, call, model), service });
  }

  return { byKey, byKeyOfUsed, byPlanOrKey };
}
