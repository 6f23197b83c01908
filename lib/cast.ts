/**
 * A construct of CDK as the interface that another takes it by. CDK compiles without `exactOptionalPropertyTypes`: its
 * classes say "maybe undefined" where their own interfaces say "may be missing", so the compiler does not see that they fit.
 */
export function seenAs<Interface>(construct: Interface | object): Interface {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above
  return construct as Interface;
}
