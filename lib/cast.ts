/**
 * Casts a CDK construct to an interface that it implements. CDK compiles without `exactOptionalPropertyTypes`: its classes
 * declare `T | undefined` where its interfaces declare optional properties, so the compiler rejects the assignment.
 */
export function cast<Interface>(construct: Interface | object): Interface {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above
  return construct as Interface;
}
