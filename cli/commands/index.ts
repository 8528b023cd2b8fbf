import type { CommandRow } from '../command.js';

/** Every command. A module is loaded only when its command is the one asked for. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'demo',
    summary: 'answer a real question over real records, with local models',
    load: () => import('./demo.js'),
  },
  { name: 'query', summary: 'run a query and print its rows', load: () => import('./query.js') },
  {
    name: 'explain',
    summary: 'calls, tokens and USD that a query would take; spends nothing',
    load: () => import('./explain.js'),
  },
  {
    name: 'plan',
    summary: 'candidate plans of one semantic operator, with why each exists',
    load: () => import('./plan.js'),
  },
  {
    name: 'optimize',
    summary: 'search for the plan that answers a query best for its price',
    load: () => import('./optimize.js'),
  },
  { name: 'accept', summary: 'end a search with the best plan so far', load: () => import('./accept.js') },
  {
    name: 'plans',
    summary: 'plans that searches have found: list, show, diff, pin, rollback, export, import, forget',
    load: () => import('./plans.js'),
  },
  { name: 'watch', summary: 'follow a run to its end', load: () => import('./watch.js') },
  { name: 'runs', summary: 'list runs, newest first', load: () => import('./runs.js') },
  { name: 'result', summary: 'rows and cost of a run', load: () => import('./result.js') },
  { name: 'report', summary: 'a run or search as one HTML page', load: () => import('./report.js') },
  { name: 'pause', summary: 'stop issuing calls until resumed', load: () => import('./pause.js') },
  { name: 'resume', summary: 'go on with a paused run', load: () => import('./resume.js') },
  { name: 'budget', summary: 'change the limits of a run', load: () => import('./budget.js') },
  { name: 'cancel', summary: 'end a run with the rows that are decided', load: () => import('./cancel.js') },
  { name: 'up', summary: 'start the embedded stack', load: () => import('./up.js') },
  { name: 'down', summary: 'stop the embedded stack', load: () => import('./down.js') },
  { name: 'status', summary: 'state of the embedded stack', load: () => import('./status.js') },
  {
    name: 'worker',
    summary: 'run workers for your own Temporal cluster, in the foreground',
    load: () => import('./worker.js'),
  },
  { name: 'doctor', summary: 'check everything that a query needs', load: () => import('./doctor.js') },
  { name: 'models', summary: 'list, pull and verify model weights', load: () => import('./models.js') },
  { name: 'cache', summary: 'statistics of the answers kept, and how to drop them', load: () => import('./cache.js') },
  { name: 'config', summary: 'settings in force and where each comes from', load: () => import('./config.js') },
];
