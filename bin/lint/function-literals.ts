/** A node of the syntax tree, as ESTree has it. */
interface Node {
  readonly type: string;
}

/** What an oxlint rule is handed of a file. */
interface Context {
  report(finding: { readonly node: Node; readonly message: string }): void;
}

const message =
  'Name this function before it is assigned to a property: as it stands it outlives its call (docs/performance.md).';

/**
 * V8 makes a function literal that is assigned to a property in the old generation, and everything it reaches lives as long
 * (docs/performance.md). In code that runs for each call that was a tenth of the processor's time.
 */
const unassigned = {
  create: (context: Context) => ({
    AssignmentExpression({ left, right }: { readonly left: Node; readonly right: Node }): void {
      const isLiteral = right.type === 'ArrowFunctionExpression' || right.type === 'FunctionExpression';
      if (isLiteral && left.type === 'MemberExpression') context.report({ node: right, message });
    },
  }),
};

/** A plugin of oxlint, in the form of ESLint's. */
export default { meta: { name: 'function-literals' }, rules: { unassigned } };
