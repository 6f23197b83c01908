import { NestedStack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { routeEntry } from '#contract/handlers.ts';
import type { Route } from '#contract/http/route.ts';
import { grantUses, type Resources } from '#lib/constructs/functions/grants.ts';
import { rollOut } from '#lib/constructs/functions/rollout.ts';
import { FailureAlarm, ServiceFunction } from '#lib/constructs/functions/service-function.ts';
import { countryHeader, type SharedProps } from '#lib/shared-props.ts';

export interface FunctionGroupProps extends SharedProps, Omit<Resources, 'stage'> {
  readonly routes: readonly Route[];
}

/**
 * Functions for the routes of one resource. Nested, because all functions together exceed the 500 resources of a stack.
 */
export class FunctionGroup extends NestedStack {
  readonly functions: ReadonlyMap<Route, ServiceFunction>;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    const { routes, tables, mail, messaging, audio, archive, queues, stage, publicOrigin, alarms } = props;
    super(scope, id, { description: `Text AI platform: functions of ${id}` });
    const shared = { stage, publicOrigin, alarms };
    // Every alarm costs the same. Unpriced routes share one alarm per resource; the log names the route.
    const inCommon = routes.every(({ priced }) => priced)
      ? undefined
      : new FailureAlarm(new Construct(this, id), {
          watched: id,
          impact: `Requests for ${id} fail for some callers.`,
          stage,
          alarms,
        });
    const lossOf = ({ summary, method, path }: Route) => `“${summary}” fails for some callers: ${method} ${path}.`;
    const create = (route: Route): ServiceFunction => {
      const fn = new ServiceFunction(this, route.id, {
        entry: routeEntry(route.id),
        uses: route.uses,
        description: route.summary,
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
        failing: route.priced || !inCommon ? lossOf(route) : inCommon,
        provisionedConcurrency: stage.provisionedConcurrency[route.id],
        ...shared,
      });
      grantUses(fn, route.uses, { tables, mail, messaging, audio, archive, stage, ...(queues && { queues }) });
      if (route.opensSession && stage.frontDoor.kind === 'edge')
        fn.addEnvironment('COUNTRY_HEADER', countryHeader.toLowerCase());
      return fn;
    };
    this.functions = new Map(routes.map((route) => [route, create(route)]));
    rollOut(this, stage, [...this.functions.values()]);
  }
}
