/** A route's id as the API document has it: `create-key` is `createKey`. */
export const operationId = (routeId: string): string =>
  routeId.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
