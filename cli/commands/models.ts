import type { Command } from 'commander';
import { exitCodes } from '../../plans/protocol/errors.js';
import type { Settings } from '../../workers/config/settings.js';
import type { WeightListing } from '../../workers/runtime/weights/verify.js';
import type { CommandModule } from '../command.js';
import { type CommonFlags, type Context, printJson } from '../context.js';
import { commonOptions } from '../options.js';
import { pullWithProgress } from '../pull.js';
import { type GridColumn, grid } from '../render/grid.js';
import { bytes } from '../render/numbers.js';

interface ModelRow {
  readonly name: string;
  readonly kind: string;
  readonly source: string;
  readonly state: string;
  readonly price: string;
  readonly defaultFor: string;
}

function priceText(model: Settings['models'][string]): string {
  const price = model.price;
  if (price === undefined) return 'price unknown';
  if (price.unit === 'hour') return `$${price.usdPerHour}/hour`;
  return `$${price.inputPerMTok} in, $${price.outputPerMTok} out per M tokens`;
}

function modelRows(settings: Settings, weights: readonly WeightListing[]): readonly ModelRow[] {
  const states = new Map(weights.map((entry) => [entry.name, entry.state]));
  return Object.entries(settings.models).map(([name, model]) => ({
    name,
    kind: model.kind,
    source: model.kind === 'openai' ? `${model.model} at ${model.baseUrl}` : model.weights,
    state: model.kind === 'openai' ? 'endpoint' : (states.get(model.weights) ?? 'file'),
    price: priceText(model),
    defaultFor: (['llm', 'embedder'] as const).filter((role) => settings.defaults[role] === name).join(', '),
  }));
}

const modelColumns: readonly GridColumn<ModelRow>[] = [
  { title: 'model', text: (row) => row.name },
  { title: 'kind', text: (row) => row.kind },
  { title: 'default for', text: (row) => row.defaultFor },
  { title: 'state', text: (row) => row.state },
  { title: 'price', text: (row) => row.price },
  { title: 'source', text: (row) => row.source },
];

const weightColumns: readonly GridColumn<WeightListing>[] = [
  { title: 'weights', text: (row) => row.name },
  { title: 'task', text: (row) => row.task },
  { title: 'state', text: (row) => row.state },
  { title: 'size', align: 'right', text: (row) => bytes(row.bytes) },
  { title: 'licence', text: (row) => row.licence },
  { title: 'title', text: (row) => row.title },
];

async function list(context: Context): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const weights = await context.services.weights(settings.modelsDir);
  const models = modelRows(settings, weights);
  if (context.json) {
    await printJson(context, 'fermata/models/1', { models, weights, modelsDir: settings.modelsDir });
    return exitCodes.ok;
  }
  const width = context.io.stdout.columns;
  await context.print(
    `${[...grid(models, modelColumns, width), '', ...grid(weights, weightColumns, width)].join('\n')}\n`,
  );
  return exitCodes.ok;
}

/** A name may be that of a configured model or of an entry of the manifest. */
function weightName(settings: Settings, name: string): string {
  const model = settings.models[name];
  return model !== undefined && model.kind !== 'openai' ? model.weights : name;
}

/** Weights of the default models: what a query needs that names no model. */
export function defaultWeights(settings: Settings): readonly string[] {
  const names = [settings.defaults.llm, settings.defaults.embedder].flatMap((name) => {
    const model = settings.models[name];
    return model === undefined || model.kind === 'openai' ? [] : [model.weights];
  });
  return [...new Set(names)];
}

async function forEachName(
  context: Context,
  names: readonly string[],
  work: (name: string, settings: Settings) => Promise<void>,
): Promise<number> {
  const { settings } = await context.services.settings(context.place);
  const wanted = names.length > 0 ? names.map((name) => weightName(settings, name)) : defaultWeights(settings);
  for (const name of wanted) await work(name, settings);
  if (context.json) await printJson(context, 'fermata/models/1', { done: wanted });
  return exitCodes.ok;
}

export const command: CommandModule = {
  configure(command: Command, run) {
    commonOptions(command.command('list').description('models of the project and weights that can be pulled')).action(
      (flags: CommonFlags) => run(flags, list),
    );
    commonOptions(command.command('pull').description('fetch weights; goes on where it was broken off'))
      .argument('[names...]', 'models or weights; those of the default models when none is named')
      .option('--from <url>', 'URL or path to try first')
      .action((names: readonly string[], flags: CommonFlags & { readonly from?: string }) =>
        run(flags, (context) =>
          forEachName(context, names, (name, settings) =>
            pullWithProgress(context, name, settings.modelsDir, flags.from),
          ),
        ),
      );
    commonOptions(command.command('verify').description('read weights again and compare their SHA-256'))
      .argument('[names...]', 'models or weights; those of the default models when none is named')
      .action((names: readonly string[], flags: CommonFlags) =>
        run(flags, (context) =>
          forEachName(context, names, async (name, settings) => {
            await context.services.verify(name, settings.modelsDir);
            await context.note(`${name} is whole`);
          }),
        ),
      );
  },
};
