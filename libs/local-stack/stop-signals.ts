/**
 * Ends this command with exit code 1 after `stop`, at the first signal that asks for it. Later ones change nothing: one
 * Ctrl-C arrives several times, from the terminal, from npm and from the bootstrap.
 */
export function endOnSignal(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  const onSignal = (): void => {
    stopping ??= stop().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}
