import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '../../../node_modules');

/** Documentation of dependencies, with licenses: prose, lists and code, 160 KB in total. */
export const documents = {
  /** Unlicense. */
  wouter: 'wouter/README.md',
  /** Apache-2.0. */
  pipelines: 'aws-cdk-lib/pipelines/README.md',
  /** MIT. */
  phones: 'libphonenumber-js/README.md',
} as const;
export type DocumentName = keyof typeof documents;

export const textOf = (name: DocumentName): string => readFileSync(join(modules, documents[name]), 'utf8');

const questionsOf: Readonly<Record<DocumentName, readonly [question: string, quote: string][]>> = {
  wouter: [
    ['How big is the router compared with React Router?', 'gzipped vs 18.7KB'],
    ['Which notable projects are built with wouter?', 'React-three-fiber'],
    ['What is the oldest TypeScript version that it supports?', 'minimum supported TypeScript version is 4.1'],
    ['Can I use it together with Preact?', 'use the following command [`npm i wouter-preact`]'],
    ['How do I keep the location in the hash of the address?', 'gets location from the hash part of the address'],
    ['Which library parses the route patterns?', 'This is powered by a wonderful [`regexparam`]'],
    ['What key holds the part of the path that a wildcard matched?', 'the parameter name is `"*"`'],
    ['Replace the current history entry instead of pushing a new one', '`pushState` is used'],
    ['Are query parameters kept when navigating with the hash location?', 'preserves the current search parameters'],
    ['How can I avoid prop drilling of route parameters?', 'avoid "prop drilling"'],
    ['Does the returned search string begin with a question mark?', '**does not** contain a `?` character'],
    ['How are nested routing contexts created?', 'Nesting is a core feature of wouter'],
    ['I want my own anchor component in place of the one that Link renders', 'unless `asChild` prop is provided'],
    [
      'How do I render only one route at a time when patterns overlap?',
      'There are cases when you want to have an exclusive routing',
    ],
  ],
  pipelines: [
    ['Can the pipeline deploy to EC2 instances with CodeDeploy?', 'it is not built to use CodeDeploy'],
    ['Where is the migration guide from the original API?', 'The README for the original API'],
    ['What does self-mutating mean?', 'The pipeline is **self-mutating**'],
    ['Why must I commit and push before the first deployment?', 'be sure to `git commit` and `git push`'],
    ['How do I turn self mutation off while developing the pipeline?', 'by passing `selfMutation: false`'],
    ['My CDK project is in a subdirectory; how is its output found?', '`primaryOutputDirectory` to match'],
    ['How do Python projects get the CDK command line tool?', 'For Python projects, remember'],
    ['I already have build instructions in a buildspec file', 'put your build instructions in a separate script'],
    ['What scopes does the GitHub personal access token need?', '**admin:repo_hook**'],
    ['Can a zip archive in a bucket be the source?', 'You can use a zip file in S3 as the source'],
    ['Start the pipeline whenever a container image is pushed', 'triggered every time an image is pushed to ECR'],
    ['How can several stages be deployed in parallel?', 'a _wave_ is a set of stages that'],
    ['What is required to deploy into another AWS account?', 'you need to enable `crossAccountKeys: true`'],
    ['Are failed deployments with change sets retryable?', 'creation of the change set costs time'],
    ['Which pipeline type do queued executions require?', '`QUEUED` and `PARALLEL` require'],
    ['Where should manual approval gates be placed?', 'We recommend putting manual approval gates'],
    ['Pass the generated URL of a load balancer to a test', 'the generated URL of a load balancer'],
    ['How would I add a Jenkins step?', 'example that adds a Jenkins step'],
    [
      'Which settings are refused together with an existing pipeline?',
      'if you provide an existing pipeline, you cannot',
    ],
    ['How do I log in to Docker Hub to avoid throttling?', 'create a Secrets Manager Secret with fields'],
    ['What happens when the bootstrap stack is deleted?', "it's important that you don't delete the stack"],
  ],
  phones: [
    ['How many kilobytes is this compared to the port by Google?', '`550 kB`'],
    ['What is *555 dialed for in New Zealand?', 'report non-urgent traffic incidents'],
    ['Why are hyphens and brackets missing from international formats?', 'whitespace just looks cleaner'],
    ['Which metadata set is for mobile numbers only?', 'dealing with mobile numbers _only_'],
    ['I only need a handful of countries and a tiny bundle', 'absolutely obsessed with reducing the bundle size'],
    ['Which calling code does Inmarsat have?', 'Inmarsat Global Limited'],
    ['Which islands share the calling code of Saint Helena?', 'Tristan da Cunha shares a country calling code'],
    ['What calling code was assigned to Kosovo?', 'Kosovo has been assigned its own country calling code'],
    ['Who governs telephone numbers in Northern Cyprus?', 'Northern Cyprus currently shares a country calling code'],
    ['Why is a number of Abkhazia parsed as Russian?', '`840` and `940`'],
    ['Which function throws an exact error if parsing fails?', 'know the exact reason why'],
    ['How does the formatter write an extension in the United Kingdom?', 'with rare exceptions of some special cases'],
    ['Should I prefer the check of length or the strict check of digits?', 'its strength is in its weakness'],
    ['Which two parts does a national significant number leave out?', 'is all national phone number digits excluding'],
    ['Can it find telephone numbers inside a longer text?', 'Finds complete phone numbers in text'],
  ],
};

/** A question in different words, and a quote from its passage. */
export const questions = Object.entries(questionsOf).flatMap(([document, all]) =>
  all.map(([question, quote]) => [document as DocumentName, question, quote] as const),
);

/** Questions unrelated to the documents. */
export const unrelated = [
  'How long should sourdough bread be baked?',
  'Who painted the ceiling of the Sistine Chapel?',
  'My cat refuses breakfast; should I worry?',
  'Wie wird das Wetter morgen in Oslo?',
  'What is the boiling temperature of mercury?',
] as const;
