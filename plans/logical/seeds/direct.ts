import { subjectsOf } from '../instance.js';
import { answerPlan, oneByOne } from './answer.js';
import { baseOf, type Seed } from './seed.js';

/** One call a tuple (CADENZA Figure 2, Direct LLM); for several attributes also one call an attribute. */
export const direct: Seed = {
  name: 'direct',
  why: 'one question a tuple, answered by one model',
  plans: (instance, catalog) => {
    const [base, subjects] = [baseOf(instance), subjectsOf(instance)];
    const each =
      (instance.adds?.length ?? 0) > 1 && instance.template === 'map'
        ? oneByOne(instance, catalog, base, subjects)
        : undefined;
    return [...answerPlan(instance, catalog, base, subjects), ...(each === undefined ? [] : [each])];
  },
};
