import { catalogClock, isCallable, type Model, modelNamed, phaseOf } from '#contract/inference/models.ts';
import { listed } from '#contract/listings.ts';
import { ServiceError } from '../shared/service-error.ts';

export function listedModel(name: string) {
  const model = modelNamed(name);
  if (model && isCallable(model)) return listed(model, catalogClock.now());
  if (model && phaseOf(model) === 'retired') throw retired(model);
  const field = { path: 'model', isMissing: false };
  throw new ServiceError('NOT_FOUND', 'No model has this name; GET /openai/v1/models lists the models.', { field });
}

/** 404 for a retired model. */
export function retired({ id, retiredFrom, replacedBy }: Model): ServiceError {
  const next = replacedBy === null ? '' : ` Use ${replacedBy}.`;
  const field = { path: 'model', isMissing: false };
  return new ServiceError('NOT_FOUND', `The model ${id} was retired on ${retiredFrom}.${next}`, { field });
}

/** Throws 404 if the model is retired. */
export function refuseRetired(name: string): void {
  const model = modelNamed(name);
  if (model && phaseOf(model) === 'retired') throw retired(model);
}
