/** Who may import whom: design §2. Type-only edges count except where a rule says otherwise. */
const outside = (...folders) => `^(?!(${folders.join('|')}|node_modules)(/|$))[a-z]+/`;

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^(plans|activities|workflows|workers|client|cli)/', pathNot: '-main\\.ts$|^plans/tuning/' }, to: {} },
    { name: 'plans-import-nothing-of-ours', severity: 'error', from: { path: '^plans/' }, to: { path: outside('plans') } },
    {
      name: 'plans-are-pure',
      comment: 'No Node built-ins and no packages; zod only in *.schema.ts.',
      severity: 'error',
      from: { path: '^plans/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'] , pathNot: 'node_modules/zod' },
    },
    {
      name: 'zod-only-in-schemas',
      severity: 'error',
      from: { path: '^(plans|workflows|activities)/', pathNot: '\\.schema\\.ts$' },
      to: { path: 'node_modules/zod' },
    },
    {
      name: 'activities-know-ports-only',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: outside('plans', 'activities') },
    },
    {
      name: 'activities-without-runtimes',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: 'node_modules/(@duckdb|onnxruntime|openai|node-llama-cpp|lmdb|apache-arrow|@aws-sdk)' },
    },
    {
      name: 'workflows-import-plans-and-activity-types',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: outside('plans', 'workflows', 'activities') },
    },
    {
      name: 'workflows-import-activities-as-types-only',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    { name: 'workflows-without-the-tuner', severity: 'error', from: { path: '^workflows/' }, to: { path: '^plans/tuning/' } },
    {
      name: 'workflows-are-deterministic',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'workflow-packages',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: 'node_modules/', pathNot: 'node_modules/@temporalio/(workflow|common)' },
    },
    { name: 'workers-do-not-know-clients', severity: 'error', from: { path: '^workers/' }, to: { path: '^(client|cli)/' } },
    {
      name: 'workers-bundle-workflows-by-path',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^workflows/', pathNot: '^workflows/search-attributes\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-imports',
      comment:
        'Beside plans and workflow messages a client reads and writes the object store, reads the settings and asks for the stack: the same program is client and worker.',
      severity: 'error',
      from: { path: '^client/' },
      to: {
        path: outside('plans', 'client'),
        dependencyTypesNot: ['type-only', 'core'],
        pathNot: '^(workflows/(messages|budget)\\.ts|workers/(config|embedded|runtime/(objects|media))/|activities/ports\\.ts)',
      },
    },
    {
      name: 'cli-imports',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^(workflows|activities)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-tests-or-benches',
      severity: 'error',
      from: { path: '^(plans|activities|workflows|workers|client|cli)/' },
      to: { path: '^(bench|test|infra)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
