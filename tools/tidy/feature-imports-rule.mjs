/**
 * ESLint rule: inside an app, a feature folder imports another feature folder only along a written list
 * (`featureImports` in eslint.config.mjs). Without it a feature grows into its neighbour one import at a time, and
 * neither the Nx tags (one project) nor no-cycle (no cycle yet) say anything.
 *
 * It works on the path as written and not on files found on disk, so an import that does not resolve is still refused.
 * `db/` (entities, migrations) is open to every feature; `e2e/` tells stories across all of them.
 */
import path from 'node:path';

const openToAll = new Set(['db']);
const seesAll = new Set(['e2e']);

/** `apps/<app>/<feature>/…` as parts; undefined for files beside main.ts, and outside apps. */
function placeOf(file, root) {
  const [top, app, feature, ...rest] = path.relative(root, file).split(path.sep);
  return top === 'apps' && feature !== undefined && rest.length > 0 ? { app, feature } : undefined;
}

export default {
  meta: {
    type: 'problem',
    docs: { description: 'feature folders import each other along a written list only' },
    // { [app]: { [feature]: [features that it may import] } }
    schema: [
      {
        type: 'object',
        additionalProperties: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
    ],
    messages: {
      unlisted:
        'apps/{{app}}/{{from}} may not import apps/{{app}}/{{to}}: move the shared rule down, or add the pair to featureImports in eslint.config.mjs.',
    },
  },

  create(context) {
    const listed = context.options[0] ?? {};
    const from = placeOf(context.filename, context.cwd);
    if (!from || seesAll.has(from.feature)) return {};

    function check(source) {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const to = placeOf(path.resolve(path.dirname(context.filename), source.value), context.cwd);
      if (!to || to.app !== from.app || to.feature === from.feature || openToAll.has(to.feature)) return;
      if (listed[from.app]?.[from.feature]?.includes(to.feature)) return;
      context.report({
        node: source,
        messageId: 'unlisted',
        data: { app: from.app, from: from.feature, to: to.feature },
      });
    }

    return {
      ImportDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
    };
  },
};
