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

/** A test of alert rules, as promtool reads it. */
export interface AlertTest {
  alert_rule_test: { alertname: string; exp_alerts: object[] }[];
}

export const alertRulesFile = join(FOLDER, 'alerts.yml');

export function alertRules(): AlertRule[] {
  const { groups } = parse(readFileSync(alertRulesFile, 'utf8')) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Paths of the files of tests. */
export function alertTestFiles(): string[] {
  const folder = join(FOLDER, 'tests');
  return readdirSync(folder).map((name) => join(folder, name));
}

export function alertTests(): AlertTest[] {
  return alertTestFiles().flatMap(
    (file) => (parse(readFileSync(file, 'utf8')) as { tests: AlertTest[] }).tests,
  );
}

/** Their texts, by the names of the files. */
export function dashboardTexts(): Record<string, string> {
  const folder = join(FOLDER, 'dashboards');
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

export function dashboards(): Dashboard[] {
  return Object.values(dashboardTexts()).map((text) => JSON.parse(text) as Dashboard);
}

/** Expressions of all dashboards, named by place. */
export function panelQueries(): [name: string, expression: string][] {
  return dashboards().flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }): [string, string] => [`${uid}, ${title}`, expr]),
    ),
  );
}
