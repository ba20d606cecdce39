import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Folder of the alert rules and dashboards. */
const FOLDER = join(checkoutRoot, 'deploy', 'observability');

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity?: string };
  annotations: { summary?: string; runbook_url?: string };
}

export interface Dashboard {
  uid: string;
  title: string;
  panels: { id: number; title: string; targets: { expr: string }[] }[];
}

export function alertRules(): AlertRule[] {
  const text = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export function dashboards(): Dashboard[] {
  const folder = join(FOLDER, 'dashboards');
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard);
}

/** All their expressions, named by place. */
export function namedQueries(): [name: string, expression: string][] {
  const ofRules = alertRules().map(({ alert, expr }): [string, string] => [`alert ${alert}`, expr]);
  const ofPanels = dashboards().flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }): [string, string] => [`${uid}, ${title}`, expr]),
    ),
  );
  return [...ofRules, ...ofPanels];
}
