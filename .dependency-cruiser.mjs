/** Who may import whom (docs/architecture.md). Each folder names all it may reach among our own folders. */
const reach = {
  'functions/contract': ['functions/contract'],
  'functions/domain': ['functions/domain', 'functions/contract'],
  'functions/repositories': ['functions/repositories', 'functions/domain', 'functions/contract'],
  'functions/gateways': ['functions/gateways', 'functions/domain', 'functions/contract'],
  'functions/middleware': ['functions/middleware', 'functions/domain', 'functions/contract'],
  'functions/runtime': ['functions/(runtime|middleware|repositories|gateways|domain|contract)'],
  'functions/(api|jobs)': ['functions/(contract|domain|runtime)'],
  local: ['local', 'functions/(contract|runtime|api|jobs)'],
  lib: ['lib', 'functions/contract'],
  bin: ['local', 'lib', 'functions/contract'],
};

const reaches = Object.entries(reach).map(([from, to]) => ({
  name: `${from} reaches only ${to.join(', ')}`,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { path: '^(functions|local|lib|bin|test)/', pathNot: `^(${to.join('|')})/` },
}));

/** Packages that a folder may not know. */
const without = (folder, packages) => ({
  name: `${folder} does not know ${packages}`,
  severity: 'error',
  from: { path: `^functions/${folder}/` },
  to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-no-pkg'], path: packages },
});

export default {
  forbidden: [
    ...reaches,
    without('contract', 'node_modules/(?!valibot)'),
    without('domain', 'node_modules/(@aws-sdk|@aws-lambda-powertools|@middy|aws-cdk-lib|@types/aws-lambda)'),
    without('(api|jobs)', 'node_modules/(@aws-sdk|@middy|aws-cdk-lib)'),
    {
      name: 'contract is plain data',
      severity: 'error',
      from: { path: '^functions/contract/' },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'everything resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'], exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
