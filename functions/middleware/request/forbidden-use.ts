import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { forbiddenToKey, forbiddenUse, type Use } from '#domain/meter/admission/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { Call } from '../call.ts';

type Metered = Pick<Call, 'caller' | 'order' | 'namedModel'>;

/** What a priced call uses, as far as its order and what its path names show. */
export function useOf(priced: NonNullable<Route['priced']>, { caller, order, namedModel }: Metered): Use {
  const { capability } = priced;
  const model = order?.model ?? namedModel;
  const ofModel = capability && model !== undefined ? findModel(model, capability)?.minPlanRank : undefined;
  return {
    keyId: caller?.kind === 'key' ? caller.keyId : undefined,
    service: order?.service ?? priced.service,
    model,
    minPlanRank: priced.minPlanRank ?? ofModel ?? 1,
  };
}

export type ForbiddenUses = ReturnType<typeof forbiddenUses>;

/** What the admission would refuse (403), for what is decided before it. */
export function forbiddenUses({ priced }: Route, findMeter: (accountId: number) => Promise<Meter | undefined>) {
  /** By what the key is limited to; the key is proved. */
  function byKey(call: Call): ServiceError | undefined {
    return priced && call.provenMeter && forbiddenToKey(call.provenMeter, useOf(priced, call));
  }

  /** What a proof has not read, as of a session, takes a read. */
  async function byPlanOrKey(call: Call): Promise<ServiceError | undefined> {
    if (!priced || !call.caller) return undefined;
    const meter = call.provenMeter ?? (await findMeter(call.caller.accountId));
    return meter && forbiddenUse(meter, useOf(priced, call));
  }

  return { byKey, byPlanOrKey };
}
