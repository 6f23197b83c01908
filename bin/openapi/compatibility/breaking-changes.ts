import { type Json, objectIn, type Side, targetOf, understands } from './understands.ts';

/**
 * Changes that break clients of the earlier document: open pages during a deployment, and programs. Returns one
 * sentence per change, each starting with the operation. Empty if the new document only adds to the old one.
 */
export function breakingChanges(before: unknown, after: unknown): readonly string[] {
  const now = operationsOf(after);
  return [...operationsOf(before)].flatMap(([name, operation]) => {
    const current = now.get(name);
    if (!current) return [`${name} was removed`];
    const old: Side = { document: before, schema: undefined };
    const found = [
      ...inputs(operation, current, { old, document: after }),
      ...outputs(operation, current, { old, document: after }),
    ];
    return found.map((problem) => `${name}: ${problem}`);
  });
}

interface Documents {
  readonly old: Side;
  readonly document: unknown;
}

function operationsOf(document: unknown): ReadonlyMap<string, Json> {
  const paths = Object.entries(objectAt(document, 'paths'));
  return new Map(
    paths.flatMap(([path, methods]) =>
      Object.entries(objectIn(methods)).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        objectIn(operation),
      ]),
    ),
  );
}

/** Requests of existing clients must still be accepted. */
function inputs(before: Json, after: Json, { old, document }: Documents): readonly string[] {
  const bodies = understands(
    { document, schema: bodyOf(after) },
    { ...old, schema: bodyOf(before) },
    { path: 'the body', isReaderOld: false },
  );
  const known = parametersOf(before, old.document);
  const parameters = [...parametersOf(after, document)].flatMap(([name, parameter]) => {
    const former = known.get(name);
    if (!former) return parameter['required'] === true ? [`${name} is now required`] : [];
    return understands(
      { document, schema: parameter['schema'] },
      { ...old, schema: former['schema'] },
      { path: name, isReaderOld: false },
    );
  });
  const gone = [...known.keys()].filter((name) => !parametersOf(after, document).has(name));
  return [...bodies, ...parameters, ...gone.map((name) => `${name} was removed`)];
}

/** Existing clients must still understand the responses. */
function outputs(before: Json, after: Json, { old, document }: Documents): readonly string[] {
  const now = successesOf(after);
  return [...successesOf(before)].flatMap(([name, schema]) =>
    now.has(name)
      ? understands({ ...old, schema }, { document, schema: now.get(name) }, { path: name, isReaderOld: true })
      : [`the response ${name} was removed`],
  );
}

const bodyOf = (operation: Json): unknown =>
  objectAt(objectAt(objectAt(operation, 'requestBody'), 'content'), 'application/json')['schema'];

/** Schemas of the success responses, by status and content type. */
function successesOf(operation: Json): ReadonlyMap<string, unknown> {
  const successes = Object.entries(objectAt(operation, 'responses')).filter(([status]) => status.startsWith('2'));
  return new Map(
    successes.flatMap(([status, response]) =>
      Object.entries(objectAt(response, 'content')).map(([type, content]) => [
        `${status} ${type}`,
        objectIn(content)['schema'],
      ]),
    ),
  );
}

function parametersOf(operation: Json, document: unknown): ReadonlyMap<string, Json> {
  const parameters = operation['parameters'];
  const listed = Array.isArray(parameters) ? parameters.map((parameter) => resolve(parameter, document)) : [];
  return new Map(listed.map((parameter) => [`${String(parameter['in'])} ${String(parameter['name'])}`, parameter]));
}

function resolve(value: unknown, document: unknown): Json {
  const { $ref: ref } = objectIn(value);
  return objectIn(typeof ref === 'string' ? targetOf(ref, document) : value);
}

const objectAt = (value: unknown, name: string): Json => objectIn(objectIn(value)[name]);
