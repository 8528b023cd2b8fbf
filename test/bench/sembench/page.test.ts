import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../bench/sembench/manifest.js';
import { markdown, resultsPage } from '../../../bench/sembench/page.js';
import type { Entry, Measured } from '../../../bench/sembench/record.js';
import { sweep } from '../../../bench/sembench/sweep.js';

const entry = (query: string, system: string, quality: number, usd: number, callSeconds: number): Measured => ({
  ...{
    scenario: 'movie',
    query,
    system,
    seed: 1,
    manifest: 'm',
    status: 'ok',
    metric: 'f1',
    rows: 1,
    load: 0,
    quality,
  },
  use: {
    ...{ calls: 1, inputTokens: 1, outputTokens: 1, seconds: 1, fullSeconds: 1, maxInFlight: 1 },
    usd,
    callSeconds,
  },
});
const failed: Entry = {
  ...{ scenario: 'movie', query: 'Q2', system: 'lotus', seed: 1, manifest: 'm' },
  ...{ status: 'failed', why: 'a | b <script>' },
};

describe('the sweep of weights', () => {
  it('is the mean over queries of utilities by min–max; what was not answered is 0', () => {
    const entries = [
      entry('Q1', 'direct', 0.9, 1, 100),
      entry('Q1', 'lotus', 0.8, 0.5, 50),
      entry('Q1', 'routed', 0.6, 0, 0),
      entry('Q2', 'direct', 1, 1, 10),
      failed,
    ];
    const found = Object.fromEntries(sweep(entries).map(({ system, utilities }) => [system, utilities]));
    // Q1: 0.9 − 0.4 − 0.3; Q2: alone, so that neither latency nor cost tells: 1
    expect(found['direct']?.W1).toBeCloseTo((0.2 + 1) / 2);
    // half of both scales, and 0 for Q2
    expect(found['lotus']?.W4).toBeCloseTo((0.8 - 0.5 - 0.5) / 2);
    expect(found['routed']?.W5).toBeCloseTo(0.3);
  });

  it('counts the search', () => {
    const searched = { ...entry('Q1', 'routed', 0.6, 0, 0), search: entry('Q1', 'x', 0, 1, 100).use };
    const [direct, routed] = sweep([entry('Q1', 'direct', 0.9, 0.5, 50), searched]);
    expect(direct?.utilities.W4).toBeCloseTo(0.9);
    expect(routed?.utilities.W4).toBeCloseTo(-1.4);
  });
});

const machine = { cpu: 'c', cores: 2, memoryGb: 1, os: 'o', node: 'v', versions: {} };
const manifest: Manifest = {
  ...{ hash: 'm', scenario: 'movie', rows: 5, concurrency: 20, timeScale: 0.05, machine, data: {}, profiles: 'p' },
};
const sections = [
  {
    title: 'T',
    rows: [
      { query: 'Q2', note: 'a | b <script>' },
      { query: 'Q1', quality: 1 },
    ],
  },
];

describe('the page', () => {
  it('says what is simulated, marks routed plans and escapes what systems said', () => {
    const entries = [entry('Q1', 'direct', 0.9, 1, 100), entry('Q1', 'routed', 0.6, 0, 0), failed];
    const text = resultsPage({ manifest, simulated: 'SIMULATED models', entries, sections });
    expect(text).toContain('SIMULATED models');
    expect(text.match(/<circle/g)).toHaveLength(2);
    expect(text).toContain('class="dot chosen"');
    expect(text).toContain('a | b &lt;script&gt;');
    expect(text).not.toContain('<script>');
    expect(resultsPage({ manifest, simulated: 's', entries: [failed], sections })).toContain('nothing was measured');
  });

  it('is there as Markdown, bars within cells kept apart', () => {
    expect(markdown({ simulated: 'SIMULATED', sections }).split('\n')).toEqual([
      ...['**SIMULATED**', '', '## T', '', '| query | note | quality |', '| --- | --- | --- |'],
      ...['| Q2 | a \\| b <script> |  |', '| Q1 |  | 1 |', ''],
    ]);
  });
});
