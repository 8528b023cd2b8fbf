import { analyticProblems } from './analytic.js';
import { readTuningData, tuningDataFolder } from './data.js';
import { routerProblems } from './router.js';
import { isRouter, runOnce } from './variants.js';
const data = readTuningData(tuningDataFolder()!);
const [names, n, kernel, variantName] = process.argv.slice(2);
const q = (v: number[], p: number) => {
  const s = [...v].sort((a, b) => a - b);
  const i = p * (s.length - 1);
  return s[Math.floor(i)]! + (i % 1) * ((s[Math.floor(i) + 1] ?? 0) - s[Math.floor(i)]!);
};
for (const name of names!.split(',')) {
  const p = [...analyticProblems, ...routerProblems].find((x) => x.name === name.replace('+hand', ''))!;
  const vs = isRouter(p) ? (variantName ?? 'logits,stick,stick-grey').split(',') : ['plain'];
  for (const v of vs) {
    const runs = Array.from({ length: Number(n ?? 10) }, (_, seed) =>
      runOnce(
        p,
        {
         
          coding: v.startsWith('stick') ? 'stick' : 'logits',
          grey: v.endsWith('grey'),
          parallel: v.includes('async') ? 4 : 1,
        },
        seed,
        name.endsWith('+hand') ? data.hand[p.name]! : data.sobol[String(p.dimensions)]![seed]!,
      ),
    );
    const m = runs.map((r) => r.hypervolume ?? p.optimum! - r.truth!);
    console.log(
      name,
      v,
      kernel ?? '',
      [0.5, 0.25, 0.75].map((x) => q(m, x).toPrecision(3)).join(' '),
      'feas',
      runs.filter((r) => r.feasible).length,
      's',
      (runs.reduce((a, r) => a + r.secondsPerSuggestion, 0) / runs.length).toFixed(3),
    );
  }
}
