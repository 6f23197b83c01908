import { planListing } from '#contract/plans.ts';
import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listPlans: Operation<typeof routes.listPlans> = () => ({ plans: [...planListing] });

export const handler = endpoint(routes.listPlans, listPlans);
