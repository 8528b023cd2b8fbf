/** A model that takes part in a call beside the call's own. */
import type { SemanticCall } from '../../plans/operators/call.js';
import type { OtherModel } from '../../plans/protocol/strategy.js';
import type { Model } from '../ports.js';
import { chooseModel, type ModelChoice } from './choose-model.js';
import { scheduleCall } from './schedule.js';

export interface OtherModelChoice extends ModelChoice {
  /** Task queue whose workers serve a model. */
  queueOf(model: string): string;
}

/** The model that answers `asked`, a call made for it. Throws as `chooseModel` does. */
export async function otherModel(ports: OtherModelChoice, asked: SemanticCall): Promise<OtherModel> {
  return otherModelOf(ports, asked, await chooseModel(ports, asked, undefined));
}

export function otherModelOf(ports: OtherModelChoice, asked: SemanticCall, model: Model): OtherModel {
  const { queue, window, retries } = scheduleCall(asked, model, ports.queueOf(model.name), 0, undefined);
  return { model: model.name, queue, window, ...(retries === undefined ? {} : { retries }) };
}
