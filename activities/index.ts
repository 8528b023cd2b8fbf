/** The activities by name: what workflows may call. Made by a factory each, with the ports they need. */
import type {
  AppliedPartition,
  ApplyPartitionInput,
  CascadeAsks,
  CascadeStepInput,
  FinishQueryInput,
  MergeCascadeInput,
  MergedCascade,
  NextBlockInput,
  MergedRounds,
  MergeRoundsInput,
  MergeRoutedInput,
  NextRound,
  NextRoundInput,
  PassOnInput,
  PlannedQuery,
  PlanQueryInput,
  PreparedCall,
  PrepareCallInput,
  RoutedInput,
  RoutedInputs,
  RoutedPart,
} from '../plans/protocol/activities.js';
import type {
  CompiledSearch,
  CompileSearchInput,
  DrawnSample,
  DrawSampleInput,
  FinishSearchInput,
  PlannedSearch,
  PlanSearchInput,
  RanTrial,
  RunTrialInput,
  SearchResult,
} from '../plans/protocol/search.js';
import type { ChosenWay, ChooseWayInput, TakenWay, TakeWayInput } from '../plans/protocol/operator.js';
import type { DraftStep, DraftStepInput, OpenDraftingInput, OpenedDrafting } from '../plans/protocol/drafting.js';
import type { RunResult } from '../plans/protocol/run.js';

export interface Activities {
  planQuery(input: PlanQueryInput): Promise<PlannedQuery>;
  nextBlock(input: NextBlockInput): Promise<PlannedQuery>;
  prepareCall(input: PrepareCallInput): Promise<PreparedCall>;
  applyPartition(input: ApplyPartitionInput): Promise<AppliedPartition>;
  embedSides(input: CascadeStepInput): Promise<CascadeAsks>;
  trainCascade(input: CascadeStepInput): Promise<CascadeAsks>;
  sampleCascade(input: CascadeStepInput): Promise<CascadeAsks>;
  learnCascade(input: CascadeStepInput): Promise<CascadeAsks>;
  mergeCascade(input: MergeCascadeInput): Promise<MergedCascade>;
  nextRound(input: NextRoundInput): Promise<NextRound>;
  mergeRounds(input: MergeRoundsInput): Promise<MergedRounds>;
  routeInputs(input: RoutedInput): Promise<RoutedInputs>;
  runProgram(input: ApplyPartitionInput): Promise<AppliedPartition>;
  passOn(input: PassOnInput): Promise<RoutedPart>;
  mergeRouted(input: MergeRoutedInput): Promise<MergedCascade>;
  openDrafting(input: OpenDraftingInput): Promise<OpenedDrafting>;
  draftStep(input: DraftStepInput): Promise<DraftStep>;
  finishQuery(input: FinishQueryInput): Promise<RunResult>;
  planSearch(input: PlanSearchInput): Promise<PlannedSearch>;
  drawSample(input: DrawSampleInput): Promise<DrawnSample>;
  compileSearch(input: CompileSearchInput): Promise<CompiledSearch>;
  runTrial(input: RunTrialInput): Promise<RanTrial>;
  finishSearch(input: FinishSearchInput): Promise<SearchResult>;
  chooseWay(input: ChooseWayInput): Promise<ChosenWay>;
  takeWay(input: TakeWayInput): Promise<TakenWay>;
}
