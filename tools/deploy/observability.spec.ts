import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { describeWithout } from '@offizin/testkit/programs';
import {
  alertRules,
  alertRulesFile,
  alertTestFiles,
  alertTests,
  dashboards,
} from '@offizin/testkit/observability-files';
import { prometheusProblem, promtool } from '@offizin/testkit/prometheus';

const runbook = readFileSync(join(checkoutRoot, 'docs/operate/runbook.md'), 'utf8');
const rules = alertRules();

describe('the alerts', () => {
  it('each have a section of the runbook that states how to look and what to do, and there is no other', () => {
    const sections = runbook.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ alert }) => alert));
    for (const section of sections) expect(section).toMatch(/\nLook: .+\nDo: |\nLook: [\s\S]+/);
  });

  it.each(rules)(
    '$alert links to its section, and names a severity and what happens',
    ({ alert, labels, annotations }) => {
      const [address = '', section] = annotations.runbook_url?.split('#') ?? [];
      expect(new URL(address).protocol).toBe('https:');
      expect(section).toBe(alert.toLowerCase());
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toBeTruthy();
    },
  );

  it('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules)('$alert has a test in which it is silent, fires, and is silent again', ({ alert }) => {
    const ofAlert = alertTests().flatMap((test) =>
      test.alert_rule_test.filter(({ alertname }) => alertname === alert),
    );
    expect(ofAlert.map((check) => check.exp_alerts.length > 0)).toEqual([false, true, false]);
  });
});

describeWithout(prometheusProblem, 'the rules, run by promtool,', () => {
  it('are valid', async () => {
    const said = await promtool('check', 'rules', alertRulesFile);
    expect(said).toContain(`${rules.length} rules found`);
  }, 300_000);

  it.each(alertTestFiles())('pass %s', async (file) => {
    expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
  });

  it('do not pass without the one that a test expects', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'offizin-rules-'));
    const [file = ''] = alertTestFiles();
    mkdirSync(join(folder, 'tests'));
    copyFileSync(file, join(folder, 'tests', 'some.yml'));
    writeFileSync(join(folder, 'alerts.yml'), 'groups: []');
    await expect(promtool('test', 'rules', join(folder, 'tests', 'some.yml'))).rejects.toThrow(/FAILED/);
  });
});

describe('the dashboards', () => {
  it.each(dashboards())(
    '$title has panels with ids and names of their own, each with a query',
    ({ panels }) => {
      expect(panels.length).toBeGreaterThan(0);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
      expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
    },
  );
});
