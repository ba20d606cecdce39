import { markdownTable } from '../../tools/docs/markdown-table';
import { figureText, isMet, numberText } from './measured';
import type { Outcome, Row } from './row';

/** docs/performance.md. */
export function performancePage(machine: readonly string[], outcomes: readonly Outcome[]): string {
  return `<!-- Written by \`npm run bench\`, never by hand. -->

# Performance

${machine.map((line) => `- ${line}`).join('\n')}

Medians of rounds in which product and comparison ran in turn, warm, beside the load generator. Only ratios hold on other
machines. Everything was on: authentication, audit, outbox, webhooks, access log.

µs: CPU time of a core per call, all processes without the load generator. ms: p50 unless named. \`upsert\`, \`list\`, \`detail\` and
\`patch\` are calls for orders by as many callers. \`statement\`: one prepared statement. \`bare chain\`: HTTP server, NATS, responder and that statement. \`bytes\`: the work on the document alone.
\`sender\`: undici and leases of 400 rows, without order, fairness, signatures.

${outcomeTable(outcomes)}

## Where the time goes

${cpuTable(outcomes.filter(({ row }) => row.sizing === true))}

## Measured once

A naive NestJS (ClientProxy, ValidationPipe, TypeORM) wrote 166 orders/s for 64 callers, the product 777 (26 November 2026,
\`84cc443f\`).

A million orders with two lines, a prescription of 20 KiB and one webhook per event take 12.06 GB that stay, 22.42 GB of
documents, 13.41 GB of webhooks for 35 days, 0.56 GB of inboxes for 7 days and 89.6 GB of log (\`f404767\`).
`;
}

export function outcomeTable(outcomes: readonly Outcome[]): string {
  const head = ['Figure, callers', 'Product', 'Held against', 'Ratio', 'Bar'];
  return markdownTable([head, ...outcomes.map((outcome) => [shortName(outcome), ...cellsOf(outcome)])]);
}

/** One line, as it is printed when a row is done. */
export function outcomeLine(outcome: Outcome): string {
  const { name } = outcome.row;
  if ('skipped' in outcome) return `${name}: skipped, ${outcome.skipped}`;
  if ('failed' in outcome) return `${name}: FAILED, ${outcome.failed}`;
  const { rate } = outcome.measured;
  const [product = '', against = '', ratio = '', bar = ''] = cellsOf(outcome);
  const figure = rate === undefined ? product : `${product} (${rate})`;
  return `${name}: ${figure}, against ${against}, ratio ${ratio}, bar ${bar}`;
}

/** The head of the column and the page say what is left out. */
function shortName(outcome: Outcome): string {
  const name = outcome.row.name.replace(/ callers?\b/, '').replace(/, p50$/, '');
  const note = 'measured' in outcome ? outcome.measured.note : undefined;
  return note === undefined ? name : `${name} (${note})`;
}

function cellsOf(outcome: Outcome): string[] {
  const { row } = outcome;
  if ('skipped' in outcome) return [`skipped: ${outcome.skipped}`, row.against, '', barText(row)];
  if ('failed' in outcome) return [`failed: ${outcome.failed}`, row.against, '', barText(row)];
  const { product, raw, ratio } = outcome.measured;
  const missed = isMet(row.bar, outcome.measured) ? '' : ' missed';
  return [
    figureText(product, row.unit),
    raw === null ? row.against : `${row.against} ${numberText(raw)}`,
    ratio === null ? '–' : ratio.toFixed(2),
    `${barText(row)}${missed}`,
  ];
}

function barText({ bar, unit }: Row): string {
  const [sign, limit] = 'atLeast' in bar ? ['≥', bar.atLeast] : ['≤', bar.atMost];
  return `${sign}${limit.toLocaleString('en-US')}${bar.of === 'value' ? ` ${unit}` : ''}`;
}

/** Microseconds of a core per call by process, and the share of the load generator, for the rows that have them. */
export function cpuTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) =>
    'measured' in outcome && outcome.measured.cpu
      ? [{ name: shortName(outcome), cpu: outcome.measured.cpu }]
      : [],
  );
  const processes = [...new Set(rows.flatMap(({ cpu }) => Object.keys(cpu)))].filter(
    (name) => name !== 'load',
  );
  if (rows.length === 0) return '';
  const cells = rows.map(({ name, cpu }) => {
    const total = Object.values(cpu).reduce((sum, us) => sum + us, 0);
    const figures = processes.map((process) => String(Math.round(cpu[process] ?? 0)));
    return [name, ...figures, `${Math.round(((cpu['load'] ?? 0) / total) * 100)}%`];
  });
  return markdownTable([['µs per call', ...processes, 'load'], ...cells]);
}
