/** Search attributes that Fermata's workflows set, registered by the workflow worker at start-up. */
export const searchAttributes = {
  FermataPhase: 'Keyword',
  FermataSpentUsd: 'Double',
  FermataCalls: 'Int',
  FermataUtility: 'Double',
} as const satisfies Record<string, 'Keyword' | 'Int' | 'Double' | 'Text'>;
