import { cruise, type ICruiseResult } from 'dependency-cruiser';
import configuration from '../.dependency-cruiser.mjs';

/** Checks the import rules. Seeing no modules is a failure too: then nothing was checked. */
const { output } = await cruise(['functions', 'local', 'bin'], { ...configuration.options, ruleSet: configuration, validate: true });
if (typeof output === 'string') throw new Error('expected a result, not a report');
const { summary, modules }: ICruiseResult = output;
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
const own = modules.filter(({ source }) => /^(functions|local|lib|bin)\//.test(source)).length;
console.log(`${own} modules, ${summary.totalDependenciesCruised} imports, ${summary.error} against the rules`);
if (own === 0 || summary.error > 0) process.exitCode = 1;
