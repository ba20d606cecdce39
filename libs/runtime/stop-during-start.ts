/**
 * The first import of each main.ts, until `runProcess` has started the app: no caller knows the process yet, so it ends
 * immediately. Process 1 of a container would ignore the signal, also while the other modules are loaded.
 */
async function stop(signal: NodeJS.Signals): Promise<void> {
  const { log } = await import('./log.js');
  log.info({ signal }, 'stopped during the start');
  // A migration that did not end has failed.
  process.exit(process.argv[2] === 'migrate' ? 1 : 0);
}

process.on('SIGTERM', (signal) => void stop(signal));
process.on('SIGINT', (signal) => void stop(signal));
