import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { alertRules, dashboards, namedQueries } from '@offizin/testkit/observability-files';
import { readQuery } from '@offizin/testkit/promql';

const runbook = readFileSync(join(checkoutRoot, 'docs/runbook.md'), 'utf8');
const rules = alertRules();

it.each(namedQueries())('%s is PromQL over metrics of ours', async (_name, expression) => {
  const { mistakes, selectors } = await readQuery(expression);
  expect(mistakes).toEqual([]);
  expect(selectors).not.toEqual([]);
  expect(selectors.filter(({ metric }) => !metric.startsWith('offizin_'))).toEqual([]);
});

describe('the alerts', () => {
  it('each have a section of the runbook that says how to look and what to do, and there is no other', () => {
    const sections = runbook.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ alert }) => alert));
    for (const section of sections) expect(section).toMatch(/\nLook: .+\nDo: |\nLook: [\s\S]+/);
  });

  it.each(rules)(
    '$alert names its section, a severity and what happens',
    ({ alert, labels, annotations }) => {
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toBeTruthy();
    },
  );

  it('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
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
