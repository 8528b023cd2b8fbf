/** Stands in for a worker that cannot start. */
console.error('the weights are not where they should be');
process.exit(3);
