import { Counter, Gauge } from 'prom-client';
import { registry } from './metrics';

export const sharesWaiting = new Gauge({
  name: 'offizin_shares_waiting',
  help: 'Calls waiting for a slot of a shared resource, by resource',
  labelNames: ['share'] as const,
  registers: [registry],
});

export const sharesRefused = new Counter({
  name: 'offizin_shares_refused_total',
  help: 'Calls that got no slot of a shared resource in time, by resource',
  labelNames: ['share'] as const,
  registers: [registry],
});
