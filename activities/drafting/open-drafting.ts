import type { DraftRequest, OpenDraftingInput, OpenedDrafting } from '../../plans/protocol/drafting.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { beating } from '../heartbeat.js';
import type { ActivityScope, Models, ObjectStore } from '../ports.js';
import { loadJson } from '../run-plans.js';

export interface OpenDraftingPorts {
  readonly store: ObjectStore;
  readonly models: Models;
  queueOf(model: string): string;
  scope(): ActivityScope;
}

/** Where the planner is asked. Throws `UnknownModel`, or `ModalityUnsupported` for a model that writes no text. */
export function createOpenDrafting(ports: OpenDraftingPorts) {
  return ({ request }: OpenDraftingInput): Promise<OpenedDrafting> =>
    beating(ports.scope(), async () => {
      const { model } = await loadJson<DraftRequest>(ports.store, request);
      if ((await ports.models.get(model)).language === undefined)
        throw new FermataError('ModalityUnsupported', `model ${model} cannot plan: it writes no text`, {
          hint: 'name a chat model with --planner',
        });
      return { queue: ports.queueOf(model) };
    });
}
