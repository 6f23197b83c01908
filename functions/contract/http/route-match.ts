import type { Route } from './route.ts';

/** Percent-encoded parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly rawParameters: Readonly<Record<string, string>>;
}

export type RouteMatcher = (method: string, path: string) => RouteMatch | undefined;

interface Pattern {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Finds the route of a method and path like API Gateway: by whole segments, with literals before `{parameter}`. */
export function routeMatcher(routes: readonly Route[]): RouteMatcher {
  const patterns = routes.map((route): Pattern => ({ route, segments: route.path.split('/') })).sort(literalsFirst);
  const literals = new Map(
    routes.filter(({ path }) => !path.includes('{')).map((route) => [`${route.method} ${route.path}`, route]),
  );
  return (method, path) => {
    const literal = literals.get(`${method} ${path}`);
    if (literal) return { route: literal, rawParameters: {} };
    const segments = path.split('/');
    for (const pattern of patterns) {
      if (pattern.route.method !== method) continue;
      const rawParameters = parametersOf(pattern.segments, segments);
      if (rawParameters) return { route: pattern.route, rawParameters };
    }
    return undefined;
  };
}

export const matchesPath = ({ path: template }: Pick<Route, 'path'>, path: string): boolean =>
  parametersOf(template.split('/'), path.split('/')) !== undefined;

const parameterName = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1];

function parametersOf(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const found: [string, string][] = [];
  for (const [index, expected] of template.entries()) {
    const actual = segments[index] ?? '';
    const name = parameterName(expected);
    if (name !== undefined && actual !== '') found.push([name, actual]);
    else if (expected !== actual) return undefined;
  }
  return Object.fromEntries(found);
}

function literalsFirst(a: Pattern, b: Pattern): number {
  const differing = a.segments.findIndex((segment, index) => segment !== b.segments[index]);
  const isParameter = (pattern: Pattern): number =>
    parameterName(pattern.segments[differing] ?? '') === undefined ? 0 : 1;
  return isParameter(a) - isParameter(b);
}
