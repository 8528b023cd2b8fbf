// The command as a few files, `dist/bin`: Node needs half a second of CPU to find and load its modules one by one.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const outdir = join(dist, 'bin');

/** Packages with native code, and those that the waiting command does not need: they are found in node_modules. */
const external = [
  '@aws-sdk/*',
  '@duckdb/node-api',
  '@huggingface/tokenizers',
  '@temporalio/worker',
  'lmdb',
  'node-llama-cpp',
  'onnxruntime-node',
  'openai',
  'pino',
];

/** Parts of Temporal's protocol that no client speaks: the SDK's own core, and the cloud's administration. */
const unspoken = [
  (protocol) => delete protocol.coresdk,
  (protocol) => delete protocol.temporal.nested.api.nested.cloud,
];

/** Temporal's protocol is a JavaScript literal of 1.5 MB; as JSON text it is read five times as fast. */
const protocolAsJson = {
  name: 'protocol-as-json',
  setup(bundle) {
    bundle.onLoad({ filter: /@temporalio\/proto\/protos\/json-module\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const from = text.indexOf('.addJSON(') + '.addJSON('.length;
      const to = text.lastIndexOf('});') + 1;
      const protocol = Function(`return (${text.slice(from, to)})`)();
      for (const drop of unspoken) if (!drop(protocol)) throw new Error(`${path} is not of the form expected`);
      const json = JSON.stringify(JSON.stringify(protocol));
      return { contents: `${text.slice(0, from)}JSON.parse(${json})${text.slice(to)}`, loader: 'js' };
    });
  },
};

/** CommonJS packages in an ES module: what they expect to find. */
const banner = [
  "import { createRequire as bundleRequire } from 'node:module';",
  "import { fileURLToPath as bundlePath } from 'node:url';",
  'const require = bundleRequire(import.meta.url);',
  'const __filename = bundlePath(import.meta.url);',
  "const __dirname = bundlePath(new URL('.', import.meta.url));",
].join('\n');

rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { fermata: join(dist, 'cli/main.js') },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Names stay: stack traces and error classes are read by people.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  external,
  plugins: [protocolAsJson],
  banner: { js: banner },
  metafile: true,
  logLevel: 'warning',
});
writeFileSync(join(outdir, 'LICENSES.txt'), licences(Object.keys(metafile.inputs)));

/** The licence texts of the packages whose code is in the bundle. */
function licences(inputs) {
  const folders = inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]).filter(Boolean);
  return [...new Set(folders)]
    .sort()
    .map(licence)
    .join(`\n${'-'.repeat(80)}\n`);
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version}, ${license}`, ...texts].join('\n\n');
}
