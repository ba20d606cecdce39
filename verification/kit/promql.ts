import type { SyntaxNode } from '@lezer/common' with { 'resolution-mode': 'import' };

/** A metric as a query names it. */
export interface Selector {
  metric: string;
  /** Labels that it is selected by. */
  labels: string[];
  /** Used in a function that applies to counters only. */
  asCounter: boolean;
}

export interface Query {
  /** Syntax errors. */
  mistakes: string[];
  selectors: Selector[];
  /** Labels that results are grouped by. */
  groupedBy: string[];
}

const OF_COUNTERS = /^(?:rate|irate|increase)\(/;

/** The names in a PromQL expression, by the parser of Prometheus' own editor. */
export async function readQuery(text: string): Promise<Query> {
  // The package has types for ES modules only.
  const { parser } = await import('@prometheus-io/lezer-promql');
  const query: Query = { mistakes: [], selectors: [], groupedBy: [] };
  const textOf = ({ from, to }: { from: number; to: number }): string => text.slice(from, to);
  const labelsIn = (node: SyntaxNode, group: string): string[] =>
    node.getChildren(group).flatMap((child) => child.getChildren('LabelName').map(textOf));
  parser.parse(text).iterate({
    enter: ({ type, node }) => {
      if (type.isError) query.mistakes.push(`at ${node.from} of ${text}`);
      if (type.name === 'GroupingLabels') query.groupedBy.push(...node.getChildren('LabelName').map(textOf));
      if (type.name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers');
      let around: SyntaxNode | null = node;
      while (around && around.name !== 'FunctionCall') around = around.parent;
      query.selectors.push({
        metric: node.getChild('Identifier') ? textOf(node.getChild('Identifier') ?? node) : textOf(node),
        labels: matchers ? labelsIn(matchers, 'UnquotedLabelMatcher') : [],
        asCounter: around !== null && OF_COUNTERS.test(textOf(around)),
      });
    },
  });
  return query;
}
