/** Stands in for a worker that hangs: it hears neither SIGTERM nor the end of its supervisor. */
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => undefined);
setInterval(() => undefined, 1_000);
process.send?.({ type: 'ready' });
