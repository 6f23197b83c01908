import { functionId, functionsOf, pathOf, type Resource, type Whole } from './synth.ts';

/** Types that other tests compare with the routes, or that CDK derives from other resources. */
const omittedTypes =
  /^AWS::(?:ApiGateway::(?:Method|Resource|Deployment)|CloudFormation::Stack|CloudWatch::Dashboard|Logs::SubscriptionFilter)$/;
const omitted = new Set(
  'AlarmDescription Code Description Environment FunctionCode MemorySize ResponseType Tags Timeout'.split(' '),
);
const maxListed = 3;

function linesOf(name: string, value: unknown, indent = '  '): string[] {
  const text = JSON.stringify(value);
  if (text.length <= 110 || typeof value !== 'object' || value === null) return [`${indent}${name}: ${text}`];
  const inner = Object.entries(value).flatMap(([key, one]) => linesOf(key, one, `${indent}  `));
  return [`${indent}${name}:`, ...inner];
}

/**
 * The resources of a template with their properties. Equal resources are listed together, and `*` is the function to
 * which a resource belongs. The grants of functions have their own snapshot.
 */
export function shapesOf(template: Whole): readonly string[] {
  const functions = functionsOf(template);
  const named = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value).replaceAll(
        /\{"(?:Ref|Fn::GetAtt)":\[?"(\w+)"(?:,"([\w.]+)"\])?\}/g,
        (reference, id: string, part?: string) => {
          const resource = template.resources[id];
          return resource ? JSON.stringify([pathOf(resource), part].join('.')) : reference;
        },
      ),
    );
  const isShown = (resource: Resource) =>
    !omittedTypes.test(resource.Type) &&
    !(resource.Type === 'AWS::IAM::Policy' && functions.has(functionId(resource))) &&
    !/^(?:apigateway|logs)\./.test(String(resource.Properties?.['Principal']));
  const shapeOf = (resource: Resource) => {
    const { Type, Properties, DeletionPolicy, UpdateReplacePolicy, UpdatePolicy } = resource;
    const path = pathOf(resource);
    const parts = path.split('/');
    const own = parts.find((part) => functions.has(part)) ?? parts[0];
    const lines = Object.entries({ ...Properties, DeletionPolicy, UpdateReplacePolicy, UpdatePolicy })
      .filter(([name, value]) => value !== undefined && !omitted.has(name))
      .flatMap(([name, value]) => linesOf(name, named(value)));
    const starred = (text: string) => text.replaceAll(/[a-z]+(?:-[a-z]+)*/g, (word) => (word === own ? '*' : word));
    return {
      path,
      place: starred(path).replace(/(?<=AllowEventRule)\w+/, ''),
      shape: starred([Type, ...lines].join('\n')),
    };
  };
  const shapes = Object.values(template.resources).filter(isShown).map(shapeOf);
  const alike = [...Map.groupBy(shapes, ({ shape }) => shape)].map(([shape, all]) => {
    const names = new Set(all.map(({ path, place }) => (all.length > maxListed ? place : path)).toSorted());
    return `${[...names].join(', ')} (${all.length}): ${shape}\n`;
  });
  return alike.toSorted();
}
