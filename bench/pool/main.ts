/** `node dist/bench/pool/main.js --help`: the simulated model pool as a program. */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultProfiles, type FaultRates, type Profiles, readProfiles, withFaults } from './profile.schema.js';
import { startPool } from './start.js';
import { difficultyModes, type DifficultyMode } from './truth/difficulty.js';
import { truthFileSchema } from './truth/file.schema.js';
import { Truth } from './truth/registry.js';
import { truthSets } from './truth/sets/index.js';

interface Options {
  readonly port: number;
  readonly truth: readonly string[];
  readonly data: readonly string[];
  readonly profiles?: string;
  readonly seed: number;
  readonly difficulty: DifficultyMode;
  readonly latencyScale: number;
  readonly faults: Partial<FaultRates>;
  readonly forwardUrl?: string;
  readonly forwardModel?: string;
  readonly forwardPrice: { readonly inputPerMTok: number; readonly outputPerMTok: number };
  readonly forwardKeyEnv?: string;
  readonly forwardWhen?: string;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Not a number of at least 0.');
  return value;
}

const faultKinds = ['rateLimited', 'serverError', 'hang', 'badJson'] as const;

function faults(text: string): Partial<FaultRates> {
  const entries = text.split(',').map((part) => {
    const [kind, rate] = part.split('=');
    if (!faultKinds.includes(kind as (typeof faultKinds)[number]) || number(rate ?? '') > 1) {
      throw new InvalidArgumentError(`Write ${faultKinds.join('=0.1,')}=0.1, each a share of the calls.`);
    }
    return [kind, Number(rate)];
  });
  return Object.fromEntries(entries) as Partial<FaultRates>;
}

function price(text: string): Options['forwardPrice'] {
  const [input, output] = text.split(',');
  return { inputPerMTok: number(input ?? ''), outputPerMTok: number(output ?? '') };
}

const command = new Command('pool')
  .description('A SIMULATED pool of models behind an OpenAI-compatible endpoint, which answers from registered truth.')
  .option('--port <n>', 'port on the loopback; 0: any free one', number, 0)
  .option('--truth <file...>', 'JSON files with {"tuples": […], "tasks": […]}', [])
  .addOption(new Option('--data <set...>', 'data sets below FERMATA_DATA').choices(Object.keys(truthSets)).default([]))
  .option('--profiles <file>', 'in place of bench/pool/profiles.json')
  .option('--seed <n>', 'seeds difficulty, errors, faults and latency', number, 1)
  .addOption(new Option('--difficulty <mode>').choices(difficultyModes).default('sourced'))
  .option('--latency-scale <x>', 'simulated latency times this; 0: none', number, 1)
  .option('--faults <rates>', 'such as rateLimited=0.1,badJson=0.05, for all models', faults, {})
  .option('--forward-url <url>', 'real endpoint for calls that the truth cannot answer')
  .option('--forward-model <id>', 'its model')
  .option('--forward-price <in,out>', 'USD per million tokens of it', price, { inputPerMTok: 0, outputPerMTok: 0 })
  .option('--forward-key-env <name>', 'variable with its key')
  .option('--forward-when <regex>', 'system messages that go there in any case');

function truthOf(options: Options): Truth {
  const folder = process.env['FERMATA_DATA'];
  if (options.data.length > 0 && folder === undefined)
    command.error('Set FERMATA_DATA to the folder of the data sets.');
  const files = options.truth.map((file) => truthFileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))));
  const sets = options.data.flatMap((name) => truthSets[name]?.(folder ?? '') ?? []);
  const truth = new Truth(...files, ...sets);
  if (truth.size === 0) command.error('No truth: name files with --truth or data sets with --data.');
  return truth;
}

command.parse();
const options = command.opts<Options>();
if ((options.forwardUrl === undefined) !== (options.forwardModel === undefined)) {
  command.error('--forward-url and --forward-model go together.');
}
const truth = truthOf(options);
const profiles: Profiles =
  options.profiles === undefined ? defaultProfiles() : readProfiles(readFileSync(options.profiles, 'utf8'));
const key = options.forwardKeyEnv === undefined ? undefined : process.env[options.forwardKeyEnv];
const pool = await startPool({
  truth,
  profiles: withFaults(profiles, options.faults),
  seed: options.seed,
  difficulty: options.difficulty,
  latencyScale: options.latencyScale,
  port: options.port,
  ...(options.forwardWhen === undefined ? {} : { forwardWhen: new RegExp(options.forwardWhen, 'i') }),
  ...(options.forwardUrl === undefined || options.forwardModel === undefined
    ? {}
    : {
        forward: {
          url: options.forwardUrl,
          model: options.forwardModel,
          price: options.forwardPrice,
          ...(key === undefined ? {} : { apiKey: key }),
        },
      }),
});
console.log('SIMULATION: these models are not real; they answer from registered truth with drawn errors.');
console.log(
  `${truth.size} tuples, ${truth.tasks.length} tasks, difficulty ${options.difficulty}, seed ${options.seed}`,
);
console.log(`models: ${Object.keys(profiles).join(', ')}`);
console.log(pool.url);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void pool.close());
