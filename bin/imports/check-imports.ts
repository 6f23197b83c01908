import { cruise, type ICruiseResult, type IFlattenedRuleSet, type IForbiddenRuleType } from 'dependency-cruiser';
import { folderCycles } from './folder-cycles.ts';

/** Allowed imports between our folders (docs/architecture.md). Each folder lists all its targets. */
const reach = {
  'functions/contract': ['functions/contract'],
  'functions/domain': ['functions/domain', 'functions/contract'],
  'functions/aws': ['functions/(aws|domain|contract)'],
  'functions/repositories': ['functions/(repositories|aws|domain|contract)'],
  'functions/gateways': ['functions/(gateways|aws|domain|contract)'],
  'functions/middleware': ['functions/middleware', 'functions/domain', 'functions/contract'],
  'functions/runtime': ['functions/(runtime|middleware|repositories|gateways|aws|domain|contract)'],
  'functions/(api|jobs)': ['functions/(contract|domain|runtime)'],
  local: ['local', 'functions/(contract|runtime|api|jobs)'],
  lib: ['lib', 'functions/contract'],
  dashboard: ['dashboard', 'functions/contract'],
  bench: ['bench', 'local', 'lib', 'functions/(contract|domain|repositories|gateways|runtime|jobs)', 'test/support'],
  bin: ['bin', 'bench/cost', 'local', 'lib', 'functions/(contract|runtime)'],
};

/** Layers whose folders must not import each other in a cycle. */
const layers = [
  ...['contract', 'domain', 'aws', 'repositories', 'gateways', 'middleware', 'runtime', 'api'].map(
    (name) => `functions/${name}`,
  ),
  'local',
  'lib',
  'dashboard/src/components',
  'dashboard/src',
];

const reaches = Object.entries(reach).map(([from, to]): IForbiddenRuleType => ({
  name: `${from} reaches only ${to.join(', ')}`,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { path: '^(functions|local|lib|bin|bench|dashboard|test)/', pathNot: `^(${to.join('|')})/` },
}));

const without = (folder: string, packages: string): IForbiddenRuleType => ({
  name: `${folder} does not import ${packages}`,
  severity: 'error',
  from: { path: `^functions/${folder}/` },
  to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-no-pkg'], path: packages },
});

const rules: IFlattenedRuleSet = {
  forbidden: [
    ...reaches,
    without('contract', 'node_modules/(?!valibot)'),
    without('domain', 'node_modules/(@aws-sdk|@aws-lambda-powertools|@middy|aws-cdk-lib|@types/aws-lambda)'),
    without('(api|jobs)', 'node_modules/(@aws-sdk|@middy|aws-cdk-lib)'),
    {
      name: 'the dashboard imports the routes of single resources, so that a page loads no others',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^functions/contract/routes\\.ts$' },
    },
    {
      name: 'only components/notifications.tsx shows messages, and it loads their code with the first one',
      severity: 'error',
      from: { path: '^dashboard/src/', pathNot: '^dashboard/src/components/(notifications|toasts)\\.tsx$' },
      to: { path: 'node_modules/@mantine/notifications/' },
    },
    {
      name: 'contract is plain data',
      severity: 'error',
      from: { path: '^functions/contract/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no cycles, except of types',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'everything resolves', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^virtual:' } },
  ],
};

/** Checks the import rules. Finding no modules is an error, because then nothing was checked. */
const { output } = await cruise(['functions', 'local', 'lib', 'bin', 'bench', 'dashboard/src', 'dashboard/content'], {
  ruleSet: rules,
  validate: true,
  doNotFollow: { path: 'node_modules' },
  parser: 'swc',
  enhancedResolveOptions: {
    extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'types', 'default'],
  },
});
if (typeof output === 'string') throw new Error('expected a result, not a report');
const { summary, modules }: ICruiseResult = output;
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
const imports = modules.flatMap(({ source, dependencies }) =>
  dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
);
const cycles = folderCycles(imports, layers);
for (const { from, to } of cycles) console.error(`no cycles of folders: ${from} -> ${to}`);
const own = modules.filter(({ source }) => /^(functions|local|lib|bin|bench|dashboard)\//.test(source)).length;
const violations = summary.error + cycles.length;
console.log(`${own} modules, ${summary.totalDependenciesCruised} imports, ${violations} against the rules`);
if (own === 0 || violations > 0) process.exitCode = 1;
