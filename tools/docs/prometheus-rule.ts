import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** deploy/observability/prometheus-rule.yaml: alerts.yml as a resource of the Prometheus operator. */
export function prometheusRule(): string {
  const alerts = readFileSync(join(checkoutRoot, 'deploy', 'observability', 'alerts.yml'), 'utf8');
  const groups = alerts.slice(alerts.indexOf('\ngroups:') + 1);
  return `# Written by \`node tools/bootstrap.mjs docs\`. Change alerts.yml, not this file.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: offizin
spec:
${groups.replace(/^(?=.)/gm, '  ')}`;
}
